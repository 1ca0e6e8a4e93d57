import {
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Failure, systemCode } from "../../failure.ts";
import { type Entry, VERSION } from "./entries.ts";
import { GrowingState, type JournalState } from "./state.ts";

/** A folder with a file of this name contains results, and nothing to segment. */
export const JOURNAL_NAME = "segmentation-journal.jsonl";

/**
 * What has been done for an output folder. Each step is written before anything depends on it, so that the next run can resume
 * after one that was killed. One process at a time has it open.
 */
export class Journal {
  readonly #file: number;
  readonly #state = new GrowingState();
  readonly #release: () => void;

  private constructor(file: number, release: () => void) {
    this.#file = file;
    this.#release = release;
  }

  /** Opens a folder's journal, or starts one. @throws Failure if another process has it open, or it cannot be read */
  static async open(folder: string): Promise<Journal> {
    await mkdir(folder, { recursive: true });
    const release = holdFolder(folder);
    const path = join(folder, JOURNAL_NAME);
    try {
      const file = openSync(path, "a+", 0o644);
      const journal = new Journal(file, release);
      const lines = readFileSync(path, "utf8").split("\n");
      // A line without its end was cut off during the write: nothing depends on it.
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

  /** Writes an entry. It survives a crash of the process, and with `isSafe` also one of the machine. */
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
      `Line ${number} of ${path} is damaged, so it is unknown what was done. Choose another folder with --out.`,
    );
  }
  if (entry.entry === "run" && entry.version > VERSION)
    throw new Failure(`${path} was written by a newer version. Update segmentation-client.`);
  return entry;
}

/** Locks a folder for this process. Returns the function that releases it. @throws Failure if a running process has it */
export function holdFolder(folder: string): () => void {
  const path = join(folder, "segmentation-journal.lock");
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx" });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
    const holder = holderOf(path);
    if (isAlive(holder))
      throw new Failure(
        `Another run (process ${holder}) is writing to ${folder}. Wait until it ends, or choose another folder with --out.`,
      );
    // The process that held it was killed.
    rmSync(path, { force: true });
  }
}

function holderOf(path: string): number {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return 0;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  // A file without a number was cut off while it was written. This process holds nothing yet that it would wait for.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
