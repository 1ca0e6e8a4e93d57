import { counted } from "../../../client/src/cli/progress/words.ts";
import type { Outcome } from "./row.ts";

const MARKS: Readonly<Record<Outcome["verdict"], string>> = { ok: "✓", wrong: "✗", "left out": "–" };

const width = (outcomes: readonly Outcome[]): number => Math.max(...outcomes.map(({ name }) => name.length));

/** In place of rows after one another that could not be tried for the same reason: their number. */
function shortened(outcomes: readonly Outcome[]): Outcome[] {
  const short: Outcome[] = [];
  let same = 1;
  for (const outcome of outcomes) {
    const last = short.at(-1);
    const isSame = outcome.verdict === "left out" && last?.verdict === "left out" && last.saw === outcome.saw;
    same = isSame ? same + 1 : 1;
    if (isSame) short.pop();
    short.push(isSame ? { ...outcome, name: counted(same, "row") } : outcome);
  }
  return short;
}

/** The table: a line per row, and the remedy under each wrong one. */
function tableOf(all: readonly Outcome[]): string {
  const outcomes = shortened(all);
  const column = width(outcomes);
  const lines: string[] = [];
  for (const { name, verdict, saw, mend } of outcomes) {
    const why = verdict === "left out" ? "left out: " : "";
    lines.push(`${MARKS[verdict]} ${name.padEnd(column)}  ${why}${saw}`);
    if (mend !== null) lines.push(`  ${"".padEnd(column)}  → ${mend}`);
  }
  return lines.join("\n");
}

/** The last sentence. */
function summaryOf(outcomes: readonly Outcome[]): string {
  const count = (verdict: Outcome["verdict"]) => outcomes.filter((one) => one.verdict === verdict).length;
  const out = count("left out") === 0 ? "" : `; ${count("left out")} could not be tried`;
  const [wrong, all] = [count("wrong"), counted(outcomes.length, "row")];
  if (wrong > 0) return `${wrong} of ${all} ${wrong === 1 ? "is" : "are"} wrong${out}.`;
  return `Everything that was tried is as the service assumes: ${counted(count("ok"), "row")}${out}.`;
}

/** Returns true if nothing is wrong. */
export const isVerified = (outcomes: readonly Outcome[]): boolean =>
  outcomes.every(({ verdict }) => verdict !== "wrong");

const progressText = ({ name, verdict, saw }: Outcome): string =>
  verdict === "wrong" ? `${name}: wrong: ${saw}` : `${name}: ${verdict}`;

/**
 * Says how each row ended, because the table comes minutes later. On a terminal each line replaces the previous one, and the table
 * the last, because it has them all; if there is no table, as after Ctrl-C, the last one stays.
 */
export async function withProgress<T>(
  stream: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown },
  verify: (onRow: (outcome: Outcome) => void) => Promise<T>,
): Promise<T> {
  if (stream.isTTY !== true) return verify((outcome) => void stream.write(`${progressText(outcome)}\n`));
  const replace = (text: string): void =>
    void stream.write(`\r\x1b[K${text.slice(0, (stream.columns ?? 80) - 1)}`);
  let last = "\n";
  try {
    const verified = await verify((outcome) => replace(progressText(outcome)));
    last = "\r\x1b[K";
    return verified;
  } finally {
    stream.write(last);
  }
}

/** Returns the summary at the end. */
export const verificationText = (outcomes: readonly Outcome[]): string =>
  `\n${tableOf(outcomes)}\n\n${summaryOf(outcomes)}`;
