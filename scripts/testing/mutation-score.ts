/** The pure core: the rules of each feature, and their shared pure code. */
export const CORE = [
  "src/*/rules/**/*.ts",
  "src/shared/*.ts",
  "src/shared/bucket/{media-type,object-keys,presigned-url}.ts",
  "src/shared/storage/databases.ts",
];

/** A position in a file; lines and columns count from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** A mutant and its outcome, in Stryker's words; `file` is relative to the repository's root. */
export interface Mutant {
  readonly file: string;
  readonly mutator: string;
  readonly location: { readonly start: Place; readonly end: Place };
  readonly replacement: string;
  readonly status: string;
}

/** A mutant's change, independent of its position in the file. */
export interface Change {
  readonly file: string;
  readonly mutator: string;
  readonly from: string;
  readonly to: string;
}

/** Numbers of a file's mutants, and of those that a test notices. */
export interface Score {
  readonly mutants: number;
  readonly killed: number;
}

/** Returns true if a test noticed the mutant: it failed, or it never ended. */
const isKilled = ({ status }: Mutant): boolean => status === "Killed" || status === "Timeout";

/** Returns true if no test noticed the mutant. */
export const isAlive = ({ status }: Mutant): boolean => status === "Survived" || status === "NoCoverage";

/** The score of each file, by name. A mutant that could not run (a compile error) does not count. */
export function scores(mutants: readonly Mutant[]): Map<string, Score> {
  const files = new Map<string, Score>();
  for (const mutant of mutants.toSorted((a, b) => (a.file < b.file ? -1 : 1))) {
    if (!isKilled(mutant) && !isAlive(mutant)) continue;
    const before = files.get(mutant.file) ?? { mutants: 0, killed: 0 };
    const killed = before.killed + (isKilled(mutant) ? 1 : 0);
    files.set(mutant.file, { mutants: before.mutants + 1, killed });
  }
  return files;
}

/** The score of several files together. */
export function total(files: Iterable<Score>): Score {
  let mutants = 0;
  let killed = 0;
  for (const file of files) {
    mutants += file.mutants;
    killed += file.killed;
  }
  return { mutants, killed };
}

/** The share of mutants that were killed, from 0 to 1; 0 if there are no mutants. */
export const share = ({ mutants, killed }: Score): number => (mutants === 0 ? 0 : killed / mutants);

const oneLine = (code: string): string => code.replaceAll(/\s+/g, " ").trim();

/** Returns a mutant's change; `source` is its file's text. */
export function changeOf(mutant: Mutant, source: string): Change {
  const { start, end } = mutant.location;
  const offsetOf = ({ line, column }: Place): number =>
    source.split("\n", line - 1).reduce((so, each) => so + each.length + 1, column - 1);
  const from = source.slice(offsetOf(start), offsetOf(end));
  const { file, mutator, replacement } = mutant;
  return { file, mutator, from: oneLine(from), to: oneLine(replacement) };
}

/** The rows of the list of equivalent mutants: a table of file, mutator, code, replacement and reason. */
export function readEquivalents(markdown: string): Change[] {
  const row = /^\| `([^`]+)` \| (\w+) \| `(.+)` \| `(.*)` \| .+ \|$/gm;
  return [...markdown.matchAll(row)].map(([, file = "", mutator = "", from = "", to = ""]) => {
    const [plainFrom, plainTo] = [from, to].map((code) => oneLine(code.replaceAll("\\|", "|")));
    return { file, mutator, from: plainFrom ?? "", to: plainTo ?? "" };
  });
}

/** A row of the list of equivalent mutants, without its reason. */
export function rowOf({ file, mutator, from, to }: Change): string {
  const [plainFrom, plainTo] = [from, to].map((code) => code.replaceAll("|", "\\|"));
  return `| \`${file}\` | ${mutator} | \`${plainFrom}\` | \`${plainTo}\` |`;
}
