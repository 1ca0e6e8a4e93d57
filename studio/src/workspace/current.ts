import { effect, signal as signalOf, untracked } from "@preact/signals";
import { account, isExpired, isVisitor, session } from "../state/session.ts";
import type { AnnotationSync } from "./annotations/sync.ts";
import { type EndAutosave, autosave, savedOf } from "./saved/autosave.ts";
import {
  deleteSaved,
  savedDraft,
  savedWithJob,
  savedWorkspaces,
  tidy,
  write,
} from "./saved/saved-workspace.ts";
import { type Named, openJob, resumeSaved } from "./jobs/open-job.ts";
import { fetchLater, loadScript } from "../state/scripts.ts";
import { onlyHere } from "./saved/only-here.ts";
import { deleteOriginals, makeRoom } from "./saved/originals.ts";
import { Owner } from "./service/owner.ts";
import { taskIdOf } from "./rules/picture.ts";
import { inPath, lastOf } from "./rules/pointed-objects.ts";
import { Workspace } from "./workspace.ts";

/** The workspace that was opened last; null if none was. */
export const openedWorkspace = signalOf<Workspace | null>(null);

/** The kept workspaces, and the synchronization of their annotations with the service. */
const kept = new Map<Workspace, AnnotationSync | null>();

const loadKeep = async () => await import("./annotations/keep.ts");
const loadOriginals = async () => await import("./saved/kept-originals.ts");
// They are needed after a deployment, too.
fetchLater(loadKeep);
fetchLater(loadOriginals);

/** Saves a workspace in this browser and its annotations at the service, whenever it changes. */
function keepSaved(workspace: Workspace): EndAutosave {
  const end = autosave(workspace);
  const isClosed = signalOf(false);
  const over = new AbortController();
  const signals = AbortSignal.any([over.signal, workspace.owner.signal]);
  let keptJob: string | null = null;
  let isLate = false;
  let ofJob = new AbortController();
  const dispose = effect(() => {
    const { value: jobId } = workspace.firstJob;
    if (workspace.opening.value || jobId === keptJob || isVisitor.value) return;
    keptJob = jobId;
    ofJob.abort();
    ofJob = new AbortController();
    if (jobId === null) return;
    const signal = AbortSignal.any([ofJob.signal, signals]);
    void keep(workspace, jobId, signal);
  });
  kept.set(workspace, null);
  signals.addEventListener("abort", () => {
    dispose();
    kept.delete(workspace);
  });
  effect(() => {
    // Saves unsaved changes, even after another workspace was opened.
    if (!isClosed.value || workspace.keeping.value.at !== "saved") return;
    over.abort();
    const isElsewhere = openedWorkspace.peek()?.savedId.peek() === workspace.savedId.peek();
    if (isLate && !isElsewhere && !workspace.owner.signal.aborted) untracked(() => write(savedOf(workspace)));
  });
  return (what) => {
    end(what);
    isLate = what === "stays" && workspace.keeping.value.at !== "saved";
    isClosed.value = true;
    if (what === "is forgotten") over.abort();
  };
}

async function keep(workspace: Workspace, jobId: string, signal: AbortSignal): Promise<void> {
  try {
    const [{ keepWithService }, { showKeptOriginals }] = await loadScript(() =>
      Promise.all([loadKeep(), loadOriginals()]),
    );
    if (signal.aborted) return;
    const isOnScreen = (): boolean =>
      isWorkspacePath(location.pathname) && openedWorkspace.peek() === workspace;
    kept.set(workspace, keepWithService(workspace, jobId, { signal, isOnScreen }));
    showKeptOriginals(workspace, jobId, signal);
  } catch (error) {
    workspace.keeping.value = { at: "failed", error, hasChanges: true };
  }
}

/** The workspaces of an account in this tab, which outlive visits of other screens. */
class Workspaces {
  readonly owner: Owner;
  /** The workspace that has not been opened by the path of its jobs yet. */
  #draft: Workspace;
  #endDraft: EndAutosave;
  /** The workspace that was opened last. */
  #opened: Workspace | null = null;
  #endOpened: EndAutosave = () => {};

  constructor(accountId: string) {
    this.owner = new Owner(accountId);
    void makeRoom();
    tidy(this.owner);
    const before = savedDraft(this.owner);
    this.#draft =
      before === undefined
        ? new Workspace(this.owner)
        : resumeSaved(before, this.owner, { others: [], search: null });
    this.#endDraft = keepSaved(this.#draft);
  }

  /** Returns the workspace of a URL: by its job, or the draft if it names none. */
  at(jobId: string | undefined, named: Named): Workspace {
    if (jobId === undefined) return this.#draft;
    if (this.#draft.jobIds.peek().includes(jobId)) {
      this.#open(this.#draft, this.#endDraft);
      this.#begin();
    }
    if (this.#opened === null || !this.#opened.jobIds.peek().includes(jobId)) {
      const before = savedWithJob(jobId, this.owner);
      const { owner } = this;
      const opened = before === undefined ? openJob(owner, jobId, named) : resumeSaved(before, owner, named);
      this.#open(opened, keepSaved(opened));
      return opened;
    }
    return this.#opened;
  }

  /** Tells whether a path shows the workspace. A path without a job shows the draft. */
  isAt(path: string, workspace: Workspace): boolean {
    return isWorkspacePath(path) && workspace === (path.includes("/jobs/") ? this.#opened : this.#draft);
  }

  #open(workspace: Workspace, end: EndAutosave): void {
    // The workspace that was opened before stays saved, and may be opened again.
    this.#endOpened("stays");
    this.#opened?.runner.stopDrawing();
    this.#opened = workspace;
    this.#endOpened = end;
    workspace.isDraft.value = false;
    openedWorkspace.value = workspace;
  }

  /** Starts over with an empty draft. */
  startOver(): Workspace {
    this.#draft.runner.end();
    this.#endDraft("is forgotten");
    this.#begin();
    return this.#draft;
  }

  /** Clears refusals before a new sign-in. */
  forgetRefusals(): void {
    this.#draft.forgetRefusals();
    this.#opened?.forgetRefusals();
  }

  #begin(): void {
    this.#draft = new Workspace(this.owner);
    this.#endDraft = keepSaved(this.#draft);
  }

  /** Clears everything, so that the next person sees none of it. */
  leave(): void {
    const { accountId } = this.owner;
    this.owner.leave();
    openedWorkspace.value = null;
    for (const saved of savedWorkspaces()) if (saved.accountId === accountId) deleteSaved(saved);
    void deleteOriginals(accountId);
  }
}

let current: Workspaces | null = null;
/** The session that was begun last. */
let begun: typeof session.value = null;

/** Returns the workspaces of the signed-in account. */
export function workspaces(): Workspaces {
  if (current === null) throw new Error("Nobody is signed in.");
  return current;
}

/** Longest time that a sign-out waits for saves. */
const SIGN_OUT_MS = 5_000;

/** Saves everything that can be saved now. Returns the unsaved work that a sign-out would delete, one phrase each. */
export async function lostBySignOut(): Promise<readonly string[]> {
  const isOver = new Promise((resolve) => setTimeout(resolve, SIGN_OUT_MS));
  await Promise.race([isOver, Promise.all([...kept.values()].flatMap((sync) => sync?.save() ?? []))]);
  const accountId = current?.owner.accountId;
  const mine = new Map(
    savedWorkspaces().flatMap((saved) => (saved.accountId === accountId ? [[saved.id, saved]] : [])),
  );
  // The local storage may have had no room for them.
  for (const workspace of kept.keys()) mine.set(workspace.savedId.peek(), savedOf(workspace));
  return [...mine.values()].flatMap(onlyHere);
}

/** Binds workspaces to the session: each account finds its own, and a sign-out leaves none. */
export const followSession = (): (() => void) =>
  effect(() => {
    const accountId = account.value?.accountId;
    const hasSession = Boolean(session.value);
    // After signing in again, a person finds everything unchanged.
    const hasLeft = session.value === null && !isExpired.value;
    const isNew = hasSession && session.value !== begun;
    if (hasSession) begun = session.value;
    untracked(() => {
      const isAnother = hasSession && accountId !== undefined && accountId !== current?.owner.accountId;
      if (current !== null && (hasLeft || isAnother)) {
        current.leave();
        current = null;
      }
      if (isAnother) current = new Workspaces(accountId);
      else if (isNew) current?.forgetRefusals();
    });
  });

/**
 * The path of a workspace: its first job and the objects that could not add to it, which search is seen if not the latest one, and which
 * of several pictures is open, so that a reload, another tab and the browser's back find it; null if it has no job.
 */
export function pathOf({ firstJob, pointed, searches, searchId, ...workspace }: Workspace): string | null {
  const { value: first } = firstJob;
  if (first === null) return null;
  const others = pointed.value.filter((object) => {
    const { jobId, continues = null } = lastOf(object);
    return jobId !== null && jobId !== first && continues === null;
  });
  const latest = searches.value.at(-1)?.jobId;
  const search = latest === searchId.value ? null : searchId.value;
  const picture =
    workspace.pictures.value.length > 1 && !workspace.isOverview.value ? workspace.openPicture.value : null;
  const query = [
    ...(others.length === 0 ? [] : [`with=${others.map(inPath).map(encodeURIComponent).join(",")}`]),
    ...(search === null ? [] : [`search=${encodeURIComponent(search)}`]),
    ...(picture === null ? [] : [`picture=${encodeURIComponent(taskIdOf(picture) ?? picture.key)}`]),
  ].join("&");
  return `/studio/jobs/${encodeURIComponent(first)}${query === "" ? "" : `?${query}`}`;
}

/** Tells whether the browser is at the workspace: no other was opened or begun meanwhile. */
export const isOpen = (workspace: Workspace): boolean => current?.isAt(location.pathname, workspace) ?? false;

/** Tells whether a path shows a workspace. */
export const isWorkspacePath = (path: string): boolean => /^\/studio(\/jobs\/[^/]+)?\/?$/.test(path);
