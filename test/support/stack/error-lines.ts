import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { readableLine } from "../../../scripts/local/stack/log-lines.ts";

const MOST_LINES = 20;
const LONGEST = 400;

/** A log line of level error or worse, of the Worker or of the inference service (pino's levels). */
const isError = (line: string): boolean => /^\{.*"level":(?:"error"|"fatal"|50|60)[,}]/.test(line);

/** Returns the errors that the parts of a stack have logged, for people: the last lines of each part, with its name. */
export async function errorLines(logs: string): Promise<string[]> {
  const lines: string[] = [];
  for (const file of (await readdir(logs)).filter((name) => name.endsWith(".log")).toSorted()) {
    const errors = (await readFile(join(logs, file), "utf8")).split("\n").filter(isError);
    const part = file.replace(".log", "");
    for (const line of errors.slice(-MOST_LINES))
      lines.push(`[${part}] ${readableLine(line).slice(0, LONGEST)}`);
  }
  return lines;
}
