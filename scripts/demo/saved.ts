import { formatTable } from "./table.ts";

/** What is told of a result that was saved. */
export interface Saved {
  readonly lines: readonly string[];
  readonly files: readonly SavedFile[];
}

export interface SavedFile {
  readonly label: string;
  readonly path: string;
}

/** A text as a part of a file's name. */
export const fileName = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, 40) || "mask";

/** A table of what was found, or the sentence that it was nothing. */
export function foundLines(
  heading: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string[] {
  if (rows.length === 0) return ["Nothing was found: no object matched the prompts well enough."];
  return formatTable(heading, rows);
}

/** Where the files are, a line each. */
export function fileLines(files: readonly SavedFile[]): string[] {
  const width = Math.max(...files.map(({ label }) => label.length));
  return files.map(({ label, path }) => `${`${label}:`.padEnd(width + 1)} ${path}`);
}
