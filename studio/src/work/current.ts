import { effect, untracked } from "@preact/signals";
import { account, isExpired, session } from "../state/session.ts";
import { keepDraft, takeUpDraft } from "./kept-draft.ts";
import { forgetPrompts } from "./kept-prompts.ts";
import { openJob } from "./open-job.ts";
import { forgetOriginals, makeRoom } from "./originals.ts";
import { Work } from "./work.ts";

/** The draft, which has no job yet, and the work that was opened last: both stay while a person looks at other screens. */
let draft = new Work();
let opened: Work | null = null;

/** Whose work it is: an account; null if nobody is signed in. */
let whose: string | null = null;
let letGo = (): void => {};

/** Another work is the draft now, and is kept for the tab. */
function makeDraft(work: Work): void {
  letGo();
  draft = work;
  letGo = whose === null ? () => {} : keepDraft(work, whose);
}

/** The work that a URL names: by its jobs, or, without one, the draft. */
export function workAt(jobId: string | undefined, others: readonly string[]): Work {
  if (jobId === undefined) return draft;
  if (draft.jobIds.value.includes(jobId)) {
    opened = draft;
    makeDraft(new Work());
  }
  if (opened === null || !opened.jobIds.value.includes(jobId)) opened = openJob(jobId, others);
  return opened;
}

/** Starts over with an empty draft. */
export function startOver(): Work {
  makeDraft(new Work());
  return draft;
}

/** The path of a work: its jobs, so that a reload, another tab and the browser's back find it; null if it has none. */
export function pathOf({ jobIds: { value: jobIds } }: Work): string | null {
  const [first, ...others] = jobIds;
  if (first === undefined) return null;
  const query = others.length === 0 ? "" : `?with=${others.map(encodeURIComponent).join(",")}`;
  return `/studio/jobs/${encodeURIComponent(first)}${query}`;
}

/** Whether a path is one where work is looked at. */
export const isWorkPath = (path: string): boolean => /^\/studio(\/jobs\/[^/]+)?\/?$/.test(path);

/** Clears everything of the person before, so that the next one sees none of it. */
function forgetAll(accountId: string): void {
  whose = null;
  makeDraft(new Work());
  opened = null;
  forgetPrompts();
  void forgetOriginals(accountId);
}

function begin(accountId: string): void {
  whose = accountId;
  void makeRoom();
  makeDraft(takeUpDraft(accountId) ?? new Work());
}

effect(() => {
  const accountId = account.value?.accountId;
  const hasSession = Boolean(session.value);
  // After signing in again, a person finds everything unchanged.
  const hasLeft = session.value === null && !isExpired.value;
  untracked(() => {
    const isAnother = hasSession && accountId !== undefined && accountId !== whose;
    if (whose !== null && (hasLeft || isAnother)) forgetAll(whose);
    if (isAnother) begin(accountId);
  });
});
