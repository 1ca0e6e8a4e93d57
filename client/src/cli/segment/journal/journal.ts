import { closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../failure.ts";
import { type Entry, VERSION } from "./entries.ts";
import { holdFolder } from "./lock.ts";
import { GrowingState, type JournalState } from "./state.ts";

/** A folder with such a file has results, and nothing to segment. */
export const JOURNAL_NAME = "segmentation-journal.jsonl";

/**
 * What has been done for an output folder, written down before anything depends on it, so that a run that was killed is
 * taken up again. One process has it at a time.
 */
export class Journal {
  readonly #file: number;
  readonly #state = new GrowingState();
  readonly #release: () => void;

  private constructor(file: number, release: () => void) {
    this.#file = file;
    this.#release = release;
  }

  /** Opens a folder's journal, or begins one. @throws Failure if another process has it, or it cannot be read */
  static async open(folder: string): Promise<Journal> {
    await mkdir(folder, { recursive: true });
    const release = holdFolder(folder);
    const path = join(folder, JOURNAL_NAME);
    try {
      const file = openSync(path, "a+", 0o644);
      const journal = new Journal(file, release);
      const lines = readFileSync(path, "utf8").split("\n");
      // A line without its end was cut off while it was written: nothing depends on it.
      const torn = lines.pop() ?? "";
      const whole = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
      if (torn !== "") ftruncateSync(file, whole);
      for (const [i, line] of lines.entries()) journal.#state.add(parseEntry(line, path, i + 1));
      return journal;
    } catch (error) {
      release();
      throw error;
    }
  }

  get state(): JournalState {
    return this.#state;
  }

  /** Writes an entry down. It survives the process at once, and the machine if it `isSafe`. */
  append(entry: Entry, { isSafe = false }: { readonly isSafe?: boolean } = {}): void {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`);
    if (isSafe) fdatasyncSync(this.#file);
    this.#state.add(entry);
  }

  close(): void {
    closeSync(this.#file);
    this.#release();
  }
}

function parseEntry(line: string, path: string, number: number): Entry {
  let entry: Entry;
  try {
    entry = JSON.parse(line);
  } catch {
    throw new Failure(
      `Line ${number} of ${path} is damaged, so that nobody knows what was done. Choose another folder with --out.`,
    );
  }
  if (entry.entry === "run" && entry.version > VERSION)
    throw new Failure(`${path} was written by a newer version. Update segmentation-client.`);
  return entry;
}
