import { batch, effect } from "@preact/signals";
import type { CreateJobRequest } from "segmentation-client";
import type { History } from "../edit/history.ts";
import type { ClipRegion } from "./clip-regions.ts";
import { findOriginal, forgetOriginal, keepOriginal, LONGEST_MS } from "./originals.ts";
import type { Owner } from "./owner.ts";
import { bytesOf, type Picture, taskIdOf, type WorkType } from "./picture.ts";
import { type Attempt, lastOf, type PointedObject } from "./pointed.ts";
import type { Verdict } from "./review.ts";
import { type Asked, type Search, Work } from "./work.ts";

/**
 * A work as this browser keeps it, so that a reload, a new sign-in and another tab find all of it: also pictures that no job
 * has, what running jobs were asked for, and the keys by which a job is created once, however often it is asked for. Texts are
 * in the local storage, an item per work; files where those that were sent are.
 */
export interface KeptWork {
  readonly id: string;
  readonly accountId: string;
  /** The tab that has it. */
  readonly tab: string;
  /** When it last changed, in milliseconds since 1970. */
  readonly usedAt: number;
  readonly isDraft: boolean;
  /** Its files were on their way. */
  readonly isSending: boolean;
  readonly type: WorkType;
  readonly fps: number;
  readonly prompts: readonly string[];
  /** Absent as the edits are. */
  readonly threshold?: number | null;
  readonly pictures: readonly KeptPicture[];
  readonly asked: Asked | null;
  readonly request: CreateJobRequest | null;
  readonly pointed: readonly PointedObject[];
  /** Of a clip; absent as the edits are. */
  readonly regions?: readonly ClipRegion[];
  /** By picture; absent from works that were kept before there were edits. */
  readonly edits?: readonly (readonly [picture: string, history: History])[];
  /** By search and picture; absent as the edits are. */
  readonly verdictsOf?: readonly (readonly [
    jobId: string,
    verdicts: readonly (readonly [picture: string, verdict: Verdict])[],
  ])[];
  /** Absent as the edits are, and then the job of the prompts, or that of the first object. */
  readonly firstJob?: string | null;
  /** Absent as the edits are. */
  readonly searches?: readonly Search[];
}

type KeptPicture = Omit<Picture, "file" | "address"> & { readonly address: string | null };

const PREFIX = "studio.work.";
const MOST_WORKS = 50;
/** Files that are together larger are not kept: writing them takes as long as sending them. */
const MOST_BYTES = 128 * 1024 * 1024;

/** The name of a file that has no taskId yet. */
const fileId = (key: string): string => `draft/${key}`;

/** What names this tab, over reloads. */
function thisTab(): string {
  const known = sessionStorage.getItem("studio.tab");
  if (known !== null) return known;
  const tab = crypto.randomUUID();
  sessionStorage.setItem("studio.tab", tab);
  return tab;
}

/** All works that this browser keeps, the newest first. */
export function keptWorks(): readonly KeptWork[] {
  return Object.keys(localStorage)
    .filter((name) => name.startsWith(PREFIX))
    .map((name): KeptWork => JSON.parse(localStorage.getItem(name) ?? ""))
    .toSorted((a, b) => b.usedAt - a.usedAt);
}

/** What to forget, so that neither too old nor too many works are kept, and this tab has none of somebody else's. */
export const outlived = (
  kept: readonly KeptWork[],
  now: number,
  mine: { readonly tab: string; readonly accountId: string },
): readonly KeptWork[] =>
  kept.filter(
    ({ usedAt, tab, accountId }, i) =>
      i >= MOST_WORKS || now - usedAt > LONGEST_MS || (tab === mine.tab && accountId !== mine.accountId),
  );

const hasJob = ({ asked, pointed, firstJob, searches = [] }: KeptWork, jobId: string): boolean =>
  [asked?.jobId, firstJob].includes(jobId) ||
  searches.some((search) => search.jobId === jobId) ||
  pointed.some((object) => lastOf(object).jobId === jobId);

/** Forgets the texts of a kept work. */
export const forgetKept = ({ id }: { readonly id: string }): void => localStorage.removeItem(PREFIX + id);

/** Deletes what has outlived its time. */
export function tidy({ accountId }: Owner): void {
  outlived(keptWorks(), Date.now(), { tab: thisTab(), accountId }).forEach(forgetKept);
}

/** What ends the keeping of a work; what is kept stays, or is forgotten. */
export type EndKeeping = (what: "stays" | "is forgotten") => void;

/** Keeps a work whenever it changes. */
export function keep(work: Work): EndKeeping {
  const { accountId } = work.owner;
  // Those of a restored work are kept already.
  const files = new Set(work.opening.peek() ? work.pictures.peek().map(({ key }) => key) : []);
  const forget = (key: string): void => {
    files.delete(key);
    const isElsewhere = keptWorks().some(
      ({ id, pictures }) => id !== work.keptAs.peek() && pictures.some((picture) => picture.key === key),
    );
    if (!isElsewhere) void forgetOriginal(accountId, fileId(key));
  };
  const dispose = effect(() => {
    // While it is being restored, its files are not loaded yet.
    if (work.opening.value || work.owner.signal.aborted) return;
    const all = work.pictures.value;
    if (all.length === 0) forgetKept({ id: work.keptAs.value });
    else write(textOf(work));
    const unsent = all.filter((picture) => taskIdOf(picture) === null);
    const wanted = new Map<string, Picture>();
    if (bytesOf(unsent).total <= MOST_BYTES) for (const picture of unsent) wanted.set(picture.key, picture);
    for (const { key, name, file } of wanted.values()) {
      if (file === null || files.has(key)) continue;
      files.add(key);
      void keepOriginal(accountId, fileId(key), { name, file });
    }
    for (const key of files) if (!wanted.has(key)) forget(key);
  });
  return (what) => {
    dispose();
    if (what === "stays") return;
    forgetKept({ id: work.keptAs.peek() });
    files.forEach(forget);
  };
}

function write(kept: KeptWork): void {
  try {
    localStorage.setItem(PREFIX + kept.id, JSON.stringify(kept));
  } catch {
    // There is no room: the work goes on in this page.
  }
}

const textOf = (work: Work): KeptWork => ({
  id: work.keptAs.value,
  accountId: work.owner.accountId,
  tab: thisTab(),
  usedAt: Date.now(),
  isDraft: work.isDraft.value,
  isSending: work.going.value.at === "sending",
  type: work.type.value,
  fps: work.fps.value,
  prompts: work.prompts.value,
  threshold: work.threshold.value,
  pictures: work.pictures.value.map(({ key, name, address, sending }) => ({
    key,
    name,
    address: address?.href ?? null,
    sending: sending.at === "sent" ? sending : { at: "here" },
  })),
  asked: work.asked.value,
  request: work.request.value,
  pointed: work.pointed.value,
  regions: work.regions.value,
  edits: [...work.edits.value],
  verdictsOf: [...work.verdictsOf.value].map(([jobId, verdicts]) => [jobId, [...verdicts]]),
  firstJob: work.firstJob.value,
  searches: work.searches.value,
});

/** An account's draft in this tab. */
export const keptDraft = ({ accountId }: Owner): KeptWork | undefined =>
  keptWorks().find((kept) => kept.isDraft && kept.tab === thisTab() && kept.accountId === accountId);

/** An account's work that has a job, by preference as this tab left it. */
export function keptWith(jobId: string, { accountId }: Owner): KeptWork | undefined {
  const all = keptWorks().filter((kept) => kept.accountId === accountId && hasJob(kept, jobId));
  return all.find(({ tab }) => tab === thisTab()) ?? all[0];
}

const firstJobOf = ({ firstJob, asked, pointed }: KeptWork): string | null =>
  firstJob ?? asked?.jobId ?? pointed.flatMap((object) => lastOf(object).jobId ?? [])[0] ?? null;

/** What was under way is to be asked for again; what has a job, only for its mask. */
const resumed = (attempt: Attempt): Attempt => ({ ...attempt, state: "waiting" });

/** A work as it was kept. Its files are loaded later: see `findFiles`. Another tab's work stays with that tab. */
export function restored(kept: KeptWork, owner: Owner): Work {
  const work = new Work(owner);
  batch(() => {
    work.opening.value = true;
    if (kept.tab === thisTab()) work.keptAs.value = kept.id;
    work.isDraft.value = kept.isDraft;
    work.wasCutOff.value = kept.isSending;
    work.type.value = kept.type;
    work.fps.value = kept.fps;
    work.prompts.value = kept.prompts;
    work.threshold.value = kept.threshold ?? null;
    work.asked.value = kept.asked;
    work.request.value = kept.request;
    work.pointed.value = kept.pointed.map((object) => {
      const [first, ...rest] = object.attempts;
      return { ...object, attempts: [resumed(first), ...rest.map(resumed)] };
    });
    work.regions.value = kept.regions ?? [];
    work.edits.value = new Map(kept.edits);
    work.verdictsOf.value = new Map(kept.verdictsOf?.map(([jobId, verdicts]) => [jobId, new Map(verdicts)]));
    work.firstJob.value = firstJobOf(kept);
    work.searches.value = kept.searches ?? [];
    work.pictures.value = kept.pictures.map(({ key, name, address, sending }) => ({
      key,
      name,
      file: null,
      address: address === null ? null : new URL(address),
      sending,
    }));
  });
  return work;
}

/** Whether neither this browser nor the service has it. */
const isLost = ({ file, address, sending }: Picture): boolean =>
  file === null && address === null && sending.at === "here";

/** Loads the files of a restored work. */
export async function findFiles(work: Work): Promise<void> {
  const { accountId } = work.owner;
  const found = await Promise.all(
    work.pictures.value.map(async (picture): Promise<Picture> => {
      const original = await findOriginal(accountId, taskIdOf(picture) ?? fileId(picture.key));
      return { ...picture, file: original?.file ?? null };
    }),
  );
  batch(() => {
    work.pictures.value = found.filter((picture) => !isLost(picture));
    work.refused.value = found
      .filter(isLost)
      .map(({ name }) => `${name} is no longer in this browser. Choose it again.`);
    work.opening.value = false;
  });
}
