import { effect, untracked } from "@preact/signals";
import { account, isExpired, session } from "../state/session.ts";
import { type EndAutosave, autosave } from "./saved/autosave.ts";
import { deleteSaved, savedDraft, savedWithJob, savedWorkspaces, tidy } from "./saved/saved-workspace.ts";
import { type Named, openJob, resumeSaved } from "./jobs/open-job.ts";
import { deleteOriginals, makeRoom } from "./saved/originals.ts";
import { Owner } from "./service/owner.ts";
import { taskIdOf } from "./rules/picture.ts";
import { inPath, lastOf } from "./rules/pointed-objects.ts";
import { Workspace } from "./workspace.ts";

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
    const saved = savedDraft(this.owner);
    this.#draft =
      saved === undefined
        ? new Workspace(this.owner)
        : resumeSaved(saved, this.owner, { others: [], search: null });
    this.#endDraft = autosave(this.#draft);
  }

  /** Returns the workspace of a URL: by its job, or the draft if it names none. */
  at(jobId: string | undefined, named: Named): Workspace {
    if (jobId === undefined) return this.#draft;
    if (this.#draft.jobIds.peek().includes(jobId)) {
      this.#open(this.#draft, this.#endDraft);
      this.#begin();
    }
    if (this.#opened === null || !this.#opened.jobIds.peek().includes(jobId)) {
      const saved = savedWithJob(jobId, this.owner);
      const { owner } = this;
      const opened = saved === undefined ? openJob(owner, jobId, named) : resumeSaved(saved, owner, named);
      this.#open(opened, autosave(opened));
      return opened;
    }
    return this.#opened;
  }

  #open(workspace: Workspace, end: EndAutosave): void {
    // The workspace that was opened before stays saved, and may be opened again.
    this.#endOpened("stays");
    this.#opened?.runner.stopDrawing();
    this.#opened = workspace;
    this.#endOpened = end;
    workspace.isDraft.value = false;
  }

  /** Starts over with an empty draft. */
  startOver(): Workspace {
    this.#draft.runner.end();
    this.#endDraft("is forgotten");
    this.#begin();
    return this.#draft;
  }

  /** Forgets what was refused before a new sign-in. */
  forgetRefusals(): void {
    this.#draft.forgetRefusals();
    this.#opened?.forgetRefusals();
  }

  #begin(): void {
    this.#draft = new Workspace(this.owner);
    this.#endDraft = autosave(this.#draft);
  }

  /** Clears everything, so that the next person sees none of it. */
  leave(): void {
    const { accountId } = this.owner;
    this.owner.leave();
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

/** Has the workspaces follow the session: each account finds its own, and none is left behind by a sign-out. */
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

/** Tells whether a path shows a workspace. */
export const isWorkspacePath = (path: string): boolean => /^\/studio(\/jobs\/[^/]+)?\/?$/.test(path);
