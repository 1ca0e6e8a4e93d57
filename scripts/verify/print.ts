import type { Outcome } from "./row.ts";

const MARKS: Readonly<Record<Outcome["verdict"], string>> = { ok: "✓", wrong: "✗", "left out": "–" };

const width = (outcomes: readonly Outcome[]): number => Math.max(...outcomes.map(({ name }) => name.length));

/** The table: a line per row, and under each that is wrong what to do. */
function tableOf(outcomes: readonly Outcome[]): string {
  const name = width(outcomes);
  const lines = outcomes.flatMap((outcome) => [
    `${MARKS[outcome.verdict]} ${outcome.name.padEnd(name)}  ${outcome.verdict === "left out" ? "left out: " : ""}${outcome.saw}`,
    ...(outcome.mend === null ? [] : [`  ${"".padEnd(name)}  → ${outcome.mend}`]),
  ]);
  return lines.join("\n");
}

/** The last sentence. */
function summaryOf(outcomes: readonly Outcome[]): string {
  const count = (verdict: Outcome["verdict"]) => outcomes.filter((one) => one.verdict === verdict).length;
  const out = count("left out") === 0 ? "" : `; ${count("left out")} could not be tried`;
  return count("wrong") === 0
    ? `Everything that was tried is as the service assumes: ${count("ok")} rows${out}.`
    : `${count("wrong")} of ${outcomes.length} rows are wrong${out}.`;
}

/** Whether nothing is wrong. */
export const isVerified = (outcomes: readonly Outcome[]): boolean =>
  outcomes.every(({ verdict }) => verdict !== "wrong");

/** What the operator reads at the end. */
export const verificationText = (outcomes: readonly Outcome[]): string =>
  `\n${tableOf(outcomes)}\n\n${summaryOf(outcomes)}`;
