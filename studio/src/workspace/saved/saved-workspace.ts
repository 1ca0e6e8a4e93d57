import type { CreateJobRequest } from "segmentation-client";
import type { History } from "../rules/edit-history.ts";
import { type ClipRegion, regionsOn } from "../rules/clip-regions.ts";
import { LONGEST_MS } from "./originals.ts";
import type { Owner } from "../service/owner.ts";
import type { Picture } from "../rules/picture.ts";
import type { WorkspaceType } from "../rules/inspect-file.ts";
import { lastOf, type PointedObject } from "../rules/pointed-objects.ts";
import type { Verdict } from "../rules/review.ts";
import type { Asked } from "../workspace.ts";
import type { Search } from "../rules/searches.ts";

/**
 * A workspace as this browser saves it, so that a reload, a new sign-in and another tab find all of it: also pictures that no job
 * has, what running jobs were asked for, and the keys by which a job is created once, however often it is asked for. Texts are
 * in the local storage, an item per work; files where those that were sent are.
 */
export interface SavedWorkspace {
  readonly id: string;
  readonly accountId: string;
  /** The tab that has it. */
  readonly tab: string;
  /** Time of the last change, in milliseconds since 1970. */
  readonly usedAt: number;
  readonly isDraft: boolean;
  /** Its files were on their way. */
  readonly isSending: boolean;
  readonly type: WorkspaceType;
  readonly fps: number;
  readonly prompts: readonly string[];
  readonly threshold: number | null;
  readonly pictures: readonly SavedPicture[];
  /** Pictures for further jobs. */
  readonly later: readonly SavedPicture[];
  readonly asked: Asked | null;
  readonly request: CreateJobRequest | null;
  readonly pointed: readonly PointedObject[];
  /** Of a video. */
  readonly regions: readonly ClipRegion[];
  /** By picture. */
  readonly edits: readonly (readonly [picture: string, history: History])[];
  /** By picture. */
  readonly verdicts: readonly (readonly [picture: string, verdict: Verdict])[];
  /** By picture. */
  readonly notes: readonly (readonly [picture: string, note: string])[];
  readonly hidden: readonly string[];
  /** Accepted objects. */
  readonly accepted: readonly string[];
  /** The service's annotations on which they are based. */
  readonly base: SavedBase | null;
  /** True if the service has not saved all of them yet. */
  readonly isUnsaved: boolean;
  readonly firstJob: string | null;
  readonly searches: readonly Search[];
  /** Classes of exports so far. */
  readonly classes: readonly string[];
}

interface SavedBase {
  readonly jobId: string;
  readonly version: number;
  readonly tasks: readonly string[];
  readonly fields: readonly (readonly [key: string, value: string])[];
}

type SavedPicture = Omit<Picture, "file" | "address"> & { readonly address: string | null };

/** The name of a file that has no taskId yet. */
export const unsentFileId = (key: string): string => `draft/${key}`;

const PREFIX = "studio.work.";
const MOST_WORKSPACES = 50;

/** Returns the id of this tab, which survives reloads. */
export function thisTab(): string {
  const known = sessionStorage.getItem("studio.tab");
  if (known !== null) return known;
  const tab = crypto.randomUUID();
  sessionStorage.setItem("studio.tab", tab);
  return tab;
}

/** Returns all saved workspaces, the newest first. */
export function savedWorkspaces(): readonly SavedWorkspace[] {
  return Object.keys(localStorage)
    .filter((name) => name.startsWith(PREFIX))
    .map((name): SavedWorkspace => JSON.parse(localStorage.getItem(name) ?? ""))
    .toSorted((a, b) => b.usedAt - a.usedAt);
}

/** Tells whether a clip has points or boxes, or names of objects, that no job has. */
export function hasPendingRegions({ type, pictures, regions, request }: SavedWorkspace): boolean {
  const [clip] = pictures;
  if (type !== "video" || clip === undefined) return false;
  const taskId = clip.sending.at === "sent" ? clip.sending.taskId : "";
  return JSON.stringify(regionsOn(taskId, regions)) !== JSON.stringify(request?.regions ?? []);
}

/**
 * Returns the saved workspaces to delete: too old or too many, or another account's in this tab. Work on a job that only this browser has
 * stays.
 */
export const expired = (
  saved: readonly SavedWorkspace[],
  now: number,
  mine: { readonly tab: string; readonly accountId: string },
): readonly SavedWorkspace[] =>
  saved.filter((each, i) => {
    const { usedAt, tab, accountId, isUnsaved, firstJob } = each;
    const isLasting = isUnsaved || (firstJob !== null && hasPendingRegions(each));
    const isOver = i >= MOST_WORKSPACES || now - usedAt > LONGEST_MS;
    return (isOver && !isLasting) || (tab === mine.tab && accountId !== mine.accountId);
  });

const hasJob = ({ asked, pointed, firstJob, searches }: SavedWorkspace, jobId: string): boolean =>
  [asked?.jobId, firstJob].includes(jobId) ||
  searches.some((search) => search.jobId === jobId) ||
  pointed.some((object) => lastOf(object).jobId === jobId);

/** Deletes the data of a saved workspace. */
export const deleteSaved = ({ id }: { readonly id: string }): void => localStorage.removeItem(PREFIX + id);

/** Deletes expired entries. */
export function tidy({ accountId }: Owner): void {
  expired(savedWorkspaces(), Date.now(), { tab: thisTab(), accountId }).forEach(deleteSaved);
}

/** Writes the data of a workspace. */
export function write(saved: SavedWorkspace): void {
  try {
    localStorage.setItem(PREFIX + saved.id, JSON.stringify(saved));
  } catch {
    // There is no room: the workspace stays in this page only.
  }
}

/** Returns an account's saved draft in this tab. */
export const savedDraft = ({ accountId }: Owner): SavedWorkspace | undefined =>
  savedWorkspaces().find(
    (saved) => saved.isDraft && saved.tab === thisTab() && saved.accountId === accountId,
  );

/** Returns an account's saved workspace with a job, preferably this tab's. */
export function savedWithJob(jobId: string, { accountId }: Owner): SavedWorkspace | undefined {
  const all = savedWorkspaces().filter((saved) => saved.accountId === accountId && hasJob(saved, jobId));
  return all.find(({ tab }) => tab === thisTab()) ?? all[0];
}
