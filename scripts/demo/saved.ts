import { formatTable } from "../shared/table.ts";

/** What the demo prints about a saved result. */
export interface Saved {
  readonly lines: readonly string[];
  readonly files: readonly SavedFile[];
}

export interface SavedFile {
  readonly label: string;
  readonly path: string;
}

/** A text as part of a file name. */
export const fileName = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, 40) || "mask";

/** A table of what was found, or a sentence if nothing was. */
export function foundLines(
  heading: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string[] {
  if (rows.length === 0)
    return ["Nothing was found: no object matched the prompts well enough. Try other words."];
  return formatTable(heading, rows);
}

/** The files' labels and paths, one per line. */
export function fileLines(files: readonly SavedFile[]): string[] {
  const width = Math.max(...files.map(({ label }) => label.length));
  return files.map(({ label, path }) => `${`${label}:`.padEnd(width + 1)} ${path}`);
}
