import { existsSync, globSync, readFileSync } from "node:fs";
import * as tables from "../support/operation-tables.ts";

/** A proof's file, from the project's root, and the title of its test. */
export interface Proof {
  readonly file: string;
  readonly title: string;
}

/** Parses a proof. @throws if it does not have the form `<file>: <title>`. */
export function parseProof(proof: string): Proof {
  const [, path, title] = /^([\w/-]+): (.+)$/s.exec(proof) ?? [];
  if (path === undefined || title === undefined) throw new Error(`Not a proof: ${proof}`);
  return { file: `${folderOf(path)}.test.ts`, title };
}

/** The path of a test file. A name without one of the folders below `test/` is on the Workers runtime. */
function folderOf(path: string): string {
  if (path.startsWith("inference/")) return path.replace("inference/", "inference-container/test/");
  return /^(?:unit|e2e)\//.test(path) ? `test/${path}` : `test/worker/${path}`;
}

const sources = new Map<string, string>();

function sourceOf(file: string): string {
  const source = sources.get(file) ?? (existsSync(file) ? readFileSync(file, "utf8") : "");
  sources.set(file, source);
  return source;
}

/** How many quoted texts of a file begin with these words, or equal them if they are the whole title. */
function count(file: string, words: string, isWhole: boolean): number {
  const source = sourceOf(file);
  return ['"', "'", "`"]
    .map((quote) => source.split(quote + words + (isWhole ? quote : "")).length - 1)
    .reduce((sum, of) => sum + of, 0);
}

/** Whether such a test exists: its file has its title as a quoted text. */
export const isThere = ({ file, title }: Proof): boolean => count(file, title, true) > 0;

/** Words at which a label must not end. */
const LOOSE_END = /(?:^|[ :])(?:an?|the|of|to|in|by|for|that|is|are|was|and|or|not|no|each|its|%\w)$/;

/** The first words of a title, enough to find its test in its file: no other test begins with them. */
export function labelOf({ file, title }: Proof): string {
  const words = title.split(" ");
  for (
    let length = title.indexOf(": ") === title.search(/[ :]/) ? 1 : 2;
    length < words.length;
    length += 1
  ) {
    const label = words
      .slice(0, length)
      .join(" ")
      .replace(/[,:;]$/, "");
    if (!LOOSE_END.test(label) && count(file, label, false) === count(file, title, true)) return label;
  }
  return title;
}

const LISTS: Readonly<Record<string, readonly string[]>> = { ...tables };

/** Whether an operation has tests of a status: a `describe` of its own, or one over a list that it is in. */
export function hasTestsOf(operation: string, status: number): boolean {
  return globSync("test/worker/{operations,every-operation}/**/*.test.ts").some((file) => {
    const source = sourceOf(file);
    const own = source.includes(`describe("${operation} ${status}"`);
    const lists = [...source.matchAll(/describe\.each\((\w+)\)\("%s (\d+)"/g)];
    return (
      own || lists.some(([, list = "", of]) => LISTS[list]?.includes(operation) && of === String(status))
    );
  });
}
