import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const FILES = ["worker.log", "inference.log"];

const Line = z.looseObject({
  event: z.enum(["chaos_fault", "task_completed", "lease_expired"]),
  fault: z.string().optional(),
  jobId: z.string().optional(),
  taskId: z.string().optional(),
  lease: z.int().optional(),
  reported: z.string().optional(),
  outcome: z.string().optional(),
  lateMs: z.number().optional(),
});
/** A line of a log that reports a fault or of the end of an attempt. */
export type Line = z.infer<typeof Line>;

function parsed(text: string): Line[] {
  try {
    return [Line.parse(JSON.parse(text))];
  } catch {
    // Another line, or a line that the power cut has truncated.
    return [];
  }
}

/** The logs of all lives of a stack. A power cut may take the last lines of a life. */
export class Journal {
  readonly #logs: string;
  readonly #past: Line[] = [];

  constructor(logs: string) {
    this.#logs = logs;
  }

  /** Keeps the lines of a life that has ended, before the next one overwrites its logs. */
  async endLife(): Promise<void> {
    for (const name of FILES) {
      const text = await readFile(join(this.#logs, name), "utf8");
      const lines = text.split("\n").filter((line) => line.startsWith("{"));
      this.#past.push(...lines.flatMap(parsed));
    }
  }

  /** The lines of all lives that have ended. */
  get past(): readonly Line[] {
    return this.#past;
  }
}

/** Returns true if a line reports a task's success. */
export const isSuccess = ({ event, reported, outcome }: Line): boolean =>
  event === "task_completed" && reported === "ended" && outcome === "success";

/** Returns true if a line reports a lost attempt: its lease ran out, or it failed. */
export const isLostAttempt = ({ event, reported, outcome }: Line): boolean =>
  event === "lease_expired" || (event === "task_completed" && reported === "ended" && outcome === "failed");

/** Returns true if a line reports a report without effect: it was repeated, or its lease was lost. */
export const isVain = ({ event, reported }: Line): boolean =>
  event === "task_completed" && (reported === "repeated" || reported === "lease_lost");

/** Counts the occurrences of each string, in alphabetical order. */
export const countBy = (texts: readonly string[]): Map<string, number> =>
  new Map([...Map.groupBy(texts.toSorted(), (text) => text)].map(([text, all]) => [text, all.length]));

/** Returns the table at the end of a run: one line per counted thing. */
export const countTable = (counts: Iterable<readonly [what: string, count: number]>): string =>
  [...counts].map(([what, count]) => `${String(count).padStart(6)}  ${what}\n`).join("");
