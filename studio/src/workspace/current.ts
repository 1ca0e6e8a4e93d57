import { effect, untracked } from "@preact/signals";
import { account, isExpired, session } from "../state/session.ts";
import { type EndKeeping, keep } from "./saved/autosave.ts";
import { forgetKept, keptDraft, keptWith, keptWorks, tidy } from "./saved/saved-workspace.ts";
import { type Named, openJob, takeUp } from "./jobs/open-job.ts";
import { forgetOriginals, makeRoom } from "./saved/originals.ts";
import { Owner } from "./service/owner.ts";
import { taskIdOf } from "./rules/picture.ts";
import { inPath, lastOf } from "./rules/pointed-objects.ts";
import { Work } from "./workspace.ts";

/** The works of an account in this tab: both stay while a person looks at other screens. */
class Works {
  readonly owner: Owner;
  /** What has not been opened by the path of its jobs yet. */
  #draft: Work;
  #endDraft: EndKeeping;
  /** What was opened last. */
  #opened: Work | null = null;
  #endOpened: EndKeeping = () => {};

  constructor(accountId: string) {
    this.owner = new Owner(accountId);
    void makeRoom();
    tidy(this.owner);
    const kept = keptDraft(this.owner);
    this.#draft =
      kept === undefined ? new Work(this.owner) : takeUp(kept, this.owner, { others: [], search: null });
    this.#endDraft = keep(this.#draft);
  }

  /** The work that a URL names: by its jobs, or, without one, the draft. */
  at(jobId: string | undefined, named: Named): Work {
    if (jobId === undefined) return this.#draft;
    if (this.#draft.jobIds.peek().includes(jobId)) {
      this.#open(this.#draft, this.#endDraft);
      this.#begin();
    }
    if (this.#opened === null || !this.#opened.jobIds.peek().includes(jobId)) {
      const kept = keptWith(jobId, this.owner);
      const { owner } = this;
      const opened = kept === undefined ? openJob(owner, jobId, named) : takeUp(kept, owner, named);
      this.#open(opened, keep(opened));
      return opened;
    }
    return this.#opened;
  }

  #open(work: Work, end: EndKeeping): void {
    // What was opened before may be opened again, from what is kept of it: it is not kept twice.
    this.#endOpened("stays");
    this.#opened?.runner.stopDrawing();
    this.#opened = work;
    this.#endOpened = end;
    work.isDraft.value = false;
  }

  /** Starts over with an empty draft. */
  startOver(): Work {
    this.#draft.runner.end();
    this.#endDraft("is forgotten");
    this.#begin();
    return this.#draft;
  }

  #begin(): void {
    this.#draft = new Work(this.owner);
    this.#endDraft = keep(this.#draft);
  }

  /** Clears everything, so that the next person sees none of it. */
  leave(): void {
    const { accountId } = this.owner;
    this.owner.leave();
    for (const kept of keptWorks()) if (kept.accountId === accountId) forgetKept(kept);
    void forgetOriginals(accountId);
  }
}

let current: Works | null = null;

/** The works of whoever is signed in. */
export function works(): Works {
  if (current === null) throw new Error("Nobody is signed in.");
  return current;
}

/** Has the works follow the session: each account finds its own, and none is left behind by a sign-out. */
export const followSession = (): (() => void) =>
  effect(() => {
    const accountId = account.value?.accountId;
    const hasSession = Boolean(session.value);
    // After signing in again, a person finds everything unchanged.
    const hasLeft = session.value === null && !isExpired.value;
    untracked(() => {
      const isAnother = hasSession && accountId !== undefined && accountId !== current?.owner.accountId;
      if (current !== null && (hasLeft || isAnother)) {
        current.leave();
        current = null;
      }
      if (isAnother) current = new Works(accountId);
    });
  });

/**
 * The path of a work: its first job and the objects that could not add to it, which search is seen if not the latest one, and which
 * of several pictures is open, so that a reload, another tab and the browser's back find it; null if it has no job.
 */
export function pathOf({ firstJob, pointed, searches, searchId, ...work }: Work): string | null {
  const { value: first } = firstJob;
  if (first === null) return null;
  const others = pointed.value.filter((object) => {
    const { jobId, continues = null } = lastOf(object);
    return jobId !== null && jobId !== first && continues === null;
  });
  const latest = searches.value.at(-1)?.jobId;
  const search = latest === searchId.value ? null : searchId.value;
  const picture = work.pictures.value.length > 1 && !work.isOverview.value ? work.openPicture.value : null;
  const query = [
    ...(others.length === 0 ? [] : [`with=${others.map(inPath).map(encodeURIComponent).join(",")}`]),
    ...(search === null ? [] : [`search=${encodeURIComponent(search)}`]),
    ...(picture === null ? [] : [`picture=${encodeURIComponent(taskIdOf(picture) ?? picture.key)}`]),
  ].join("&");
  return `/studio/jobs/${encodeURIComponent(first)}${query === "" ? "" : `?${query}`}`;
}

/** Whether a path is one where work is looked at. */
export const isWorkPath = (path: string): boolean => /^\/studio(\/jobs\/[^/]+)?\/?$/.test(path);
