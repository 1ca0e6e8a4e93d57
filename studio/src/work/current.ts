import { effect } from "@preact/signals";
import { account, session } from "../state/session.ts";
import { openJob } from "./open-job.ts";
import { forgetOriginals, makeRoom } from "./originals.ts";
import { Work } from "./work.ts";

/** What is begun and has no job yet, and what was looked at last: both stay while a person looks at other screens. */
let draft = new Work();
let opened: Work | null = null;

/** The work that a URL names: by its jobs, or, without one, what was begun. */
export function workAt(jobId: string | undefined, others: readonly string[]): Work {
  if (jobId === undefined) return draft;
  if (draft.jobIds.value.includes(jobId)) {
    opened = draft;
    draft = new Work();
  }
  if (opened === null || !opened.jobIds.value.includes(jobId)) opened = openJob(jobId, others);
  return opened;
}

/** Begins anew. */
export function beginAnew(): Work {
  draft = new Work();
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

let whose: string | null = null;
effect(() => {
  const accountId = account.value?.accountId;
  if (session.value && accountId !== undefined) {
    if (whose !== accountId) void makeRoom();
    whose = accountId;
  } else if (session.value === null && whose !== null) {
    // Nothing of whoever signed out is left to the next person.
    void forgetOriginals(whose);
    whose = null;
    draft = new Work();
    opened = null;
  }
});
