import { closeSync, existsSync, fdatasyncSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../failure.ts";
import { type Entry, VERSION } from "./entries.ts";
import { openLocked } from "./lock.ts";
import { GrowingState, type JournalState } from "./state.ts";

/** A folder with a file of this name contains results, and nothing to segment. */
export const JOURNAL_NAME = "segmentation-journal.jsonl";

/**
 * Record of the steps for an output folder. Each step is written before any other depends on it, so that the next run
 * can resume a killed one. One process at a time has it open.
 */
export class Journal {
  readonly #file: number;
  readonly #state: GrowingState;
  /** The position of the next line: after the last whole one. */
  #end: number;

  private constructor(file: number, state: GrowingState, end: number) {
    this.#file = file;
    this.#state = state;
    this.#end = end;
  }

  /** Opens a folder's journal, or starts one. @throws Failure if another process has it open, or it cannot be read */
  static async open(folder: string): Promise<Journal> {
    await mkdir(folder, { recursive: true });
    const path = join(folder, JOURNAL_NAME);
    const file = openLocked(path);
    if (file === undefined)
      throw new Failure(
        `Another run is writing to ${folder}. Wait until it ends, or choose another folder with --out.`,
      );
    try {
      const state = new GrowingState();
      const end = readEntries(file, path, state);
      // A line without its end was cut off during the write. No later step depends on it.
      ftruncateSync(file, end);
      return new Journal(file, state, end);
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /**
   * The state in a folder's journal, even if another process has it open; undefined if there is none.
   * @throws Failure if it cannot be read
   */
  static look(folder: string): JournalState | undefined {
    const path = join(folder, JOURNAL_NAME);
    if (!existsSync(path)) return undefined;
    const file = openSync(path, "r");
    try {
      const state = new GrowingState();
      readEntries(file, path, state);
      return state;
    } finally {
      closeSync(file);
    }
  }

  get state(): JournalState {
    return this.#state;
  }

  /** Writes an entry. It survives a crash of the process, and with `isSafe` also one of the machine. */
  append(entry: Entry, { isSafe = false }: { readonly isSafe?: boolean } = {}): void {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    // A full disk takes a part of a line, then none. Such a line counts as cut off, and the next one overwrites it.
    for (let at = 0; at < line.length;)
      at += writeSync(this.#file, line, at, line.length - at, this.#end + at);
    this.#end += line.length;
    if (isSafe) fdatasyncSync(this.#file);
    this.#state.add(entry);
  }

  close(): void {
    closeSync(this.#file);
  }
}

const PIECE_BYTES = 1 << 20;
const LINE_FEED = 10;

/**
 * Adds a journal's whole lines to a state, a piece of the file in memory at a time. Returns the end of the last one, in
 * bytes.
 */
function readEntries(file: number, path: string, state: GrowingState): number {
  const piece = Buffer.alloc(PIECE_BYTES);
  let [end, number] = [0, 0];
  let text = Buffer.alloc(0);
  for (let read; (read = readSync(file, piece, 0, PIECE_BYTES, end + text.length)) > 0;) {
    text = Buffer.concat([text, piece.subarray(0, read)]);
    let from = 0;
    for (let to; (to = text.indexOf(LINE_FEED, from)) !== -1; from = to + 1)
      state.add(parseEntry(text.toString("utf8", from, to), path, ++number));
    text = text.subarray(from);
    end += from;
  }
  return end;
}

function parseEntry(line: string, path: string, number: number): Entry {
  let entry: Entry;
  try {
    entry = JSON.parse(line);
  } catch {
    throw new Failure(
      `Line ${number} of ${path} is damaged, so it is unknown what was done. Choose another folder with --out.`,
    );
  }
  if (entry.entry === "run" && entry.version > VERSION)
    throw new Failure(`${path} was written by a newer version. Update segmentation-client.`);
  return entry;
}
