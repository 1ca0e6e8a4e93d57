import { stat } from "node:fs/promises";
import { mapParallel } from "../../../http/parallel.ts";
import { FileNames, isSafe } from "../../../results/file-names.ts";
import type { Reading } from "../journal/entries.ts";
import type { Journal } from "../journal/journal.ts";
import { UNREAD, digestOfFile, whyUnread } from "./digest.ts";
import { type Found, isLocal } from "./find-inputs.ts";
import type { LocalPath } from "./walk-folder.ts";

/** A file that has no result yet, with the unique name of its results. */
export type Pending = Found;

/** The number of files that are read concurrently. */
const AT_A_TIME = 16;

/**
 * Compares files with the journal. A file with the journal's size and time counts as unchanged; otherwise its digest
 * decides. Pending are new and changed files, and on request failed ones.
 */
export async function survey(
  journal: Journal,
  found: readonly Found[],
  retriesFailed: boolean,
  signal: AbortSignal,
): Promise<Pending[]> {
  const { readings, outcomes, open } = journal.state;
  const known = [...readings.values()];
  const names = new FileNames(known.map(({ name }) => name));
  // Results under such a name could never be written, and every run would end there.
  for (const reading of known)
    if (!isSafe(reading.name)) journal.append({ ...reading, entry: "read", name: names.take(reading.name) });
  const underWay = new Set([...open.values()].flatMap(({ inputs }) => inputs.map(pairOf)));
  const isPending = await mapParallel(found, AT_A_TIME, signal, async ({ id, from }) => {
    const reading = readings.get(id);
    if (reading === undefined) return true;
    const digest = isLocal(from) ? await currentDigest(journal, from, reading) : from.version;
    if (underWay.has(pairOf({ id, digest }))) return false;
    const outcome = outcomes.get(id);
    return outcome?.digest !== digest || (retriesFailed && outcome.hasFailed);
  });
  return found
    .filter((_, i) => isPending[i])
    .map((each) => Object.assign({}, each, { name: readings.get(each.id)?.name ?? names.take(each.name) }));
}

const pairOf = ({ id, digest }: { readonly id: string; readonly digest: string }): string =>
  `${digest} ${id}`;

async function currentDigest(journal: Journal, path: LocalPath, known: Reading): Promise<string> {
  try {
    const { size, mtimeMs } = await stat(path);
    if (size === known.size && mtimeMs === known.mtimeMs) return known.digest;
    const digest = await digestOfFile(path);
    // The same bytes with a new time: records it, so that the next run need not read them.
    if (digest === known.digest) journal.append({ ...known, entry: "read", size, mtimeMs });
    return digest;
  } catch (error) {
    if (whyUnread(error) !== undefined) return UNREAD;
    throw error;
  }
}
