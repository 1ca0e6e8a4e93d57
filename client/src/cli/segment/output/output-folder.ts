import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { usageFailure } from "../../failure.ts";
import { Journal } from "../journal/journal.ts";
import type { JournalState } from "../journal/state.ts";

/** The output folder without `--out`; those of further orders are `out-2`, `out-3` and so on. */
const DEFAULT = "out";

/** The service and the order of a folder's results: all of them have the same. */
export interface Purpose {
  readonly baseUrl: string;
  /** As `purposeOf` gives it. */
  readonly order: string;
}

/** True if a folder's results are those of this purpose. */
export const isOf = ({ run }: JournalState, { baseUrl, order }: Purpose): boolean =>
  run?.baseUrl === baseUrl && run.order === order;

/** True if a folder takes any order of a service: it is from a run without results. */
const isFree = ({ run, outcomes, open }: JournalState, { baseUrl }: Purpose): boolean =>
  run === undefined || (outcomes.size === 0 && open.size === 0 && run.baseUrl === baseUrl);

/** The folder for an order without `--out`: the folder with its results, or else the first free one. */
export function defaultFolder(purpose: Purpose): string {
  const existing = numbered(DEFAULT);
  const own = existing.find((folder) => {
    const state = Journal.look(folder);
    return state !== undefined && isOf(state, purpose);
  });
  return own ?? firstFree(DEFAULT, existing, purpose);
}

/** @throws Failure with exit code 2 if a folder has the results of another order; it names a free folder */
export function assertSamePurpose(folder: string, state: JournalState, purpose: Purpose): void {
  if (isOf(state, purpose) || isFree(state, purpose)) return;
  const isSameService = state.run?.baseUrl === purpose.baseUrl;
  const other = isSameService ? "other prompts or options" : `the service at ${state.run?.baseUrl}`;
  const free = firstFree(folder, numbered(folder), purpose);
  throw usageFailure(
    `${folder} has results of a run with ${other}. Use another folder: --out ${/[\s'"$]/.test(free) ? JSON.stringify(free) : free}`,
  );
}

/**
 * The names that `segment` gave the files of a job, by taskId, from the journals of a folder and of the default ones.
 */
export function namesInJournals(jobId: string, folder: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const each of [folder, ...numbered(DEFAULT)]) {
    const state = Journal.look(each);
    for (const { id, jobId: madeBy } of state?.outcomes.values() ?? []) {
      const [reading, upload] = [state?.readings.get(id), state?.uploads.get(id)];
      if (madeBy === jobId && reading && upload) names.set(upload.taskId, reading.name);
    }
  }
  return names;
}

/** The existing folders of a name, without and with a number, in this order. */
function numbered(folder: string): string[] {
  const [parent, name] = [dirname(folder), basename(folder)];
  const there = new Set(readdirSync(parent));
  const numbers = [...there].flatMap((each) =>
    each.startsWith(`${name}-`) && /^[1-9]\d*$/.test(each.slice(name.length + 1))
      ? [Number(each.slice(name.length + 1))]
      : [],
  );
  const names = numbers.toSorted((a, b) => a - b).map((number) => `${name}-${number}`);
  return [...(there.has(name) ? [name] : []), ...names].map((each) => join(parent, each));
}

function firstFree(folder: string, existing: readonly string[], purpose: Purpose): string {
  const taken = new Set(
    existing.filter((each) => {
      const state = Journal.look(each);
      return state !== undefined && !isFree(state, purpose);
    }),
  );
  for (let i = 1; ; i++) {
    const name = join(dirname(folder), `${basename(folder)}${i === 1 ? "" : `-${i}`}`);
    if (!taken.has(name)) return name;
  }
}
