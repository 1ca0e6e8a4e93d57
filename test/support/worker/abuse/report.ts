import type { Costs, Payer } from "./meter.ts";
import type { Outcome } from "./month.ts";
import type { Promised } from "./promises.ts";

const SECONDS_A_PICTURE = 2.8;

const number = (value: number): string => value.toLocaleString("en");

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map((_, i) => (i === 0 ? "---" : "---:")), ...rows]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");

/** Returns true if the measured value is within the limit. */
export const isWithin = ({ seen, limit }: Promised): boolean => seen <= limit;

const promised = (rows: readonly Promised[]): string =>
  table(
    ["", "seen", "limit", "", "because"],
    rows.map((row) => [
      row.what,
      number(row.seen),
      number(row.limit),
      isWithin(row) ? "within" : "**beyond**",
      row.because,
    ]),
  );

const COSTS: readonly [name: string, of: (costs: Costs) => number][] = [
  ["requests", ({ requests }) => requests],
  ["D1, rows read", ({ d1RowsRead }) => d1RowsRead],
  ["D1, rows written", ({ d1RowsWritten }) => d1RowsWritten],
  ["D1, most rows read at once", ({ d1MostRead }) => d1MostRead],
  ["R2, class A", ({ r2ClassA }) => r2ClassA],
  ["R2, class B", ({ r2ClassB }) => r2ClassB],
  ["calls of Stripe", ({ stripeCalls }) => stripeCalls],
  ["calls of the identity provider", ({ identityCalls }) => identityCalls],
  ["tasks offered to inference", ({ tasksOffered }) => tasksOffered],
  [
    `seconds of inference, at ${SECONDS_A_PICTURE} a picture`,
    ({ tasksOffered }) => tasksOffered * SECONDS_A_PICTURE,
  ],
  ["log lines", ({ logLines }) => logLines],
];
const PAYERS: readonly Payer[] = ["account", "stranger", "crons"];

const answers = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([answer, count]) => `${answer}: ${number(count)}`)
    .join(", ");

export const report = (outcome: Outcome): string =>
  [
    "A trial account:",
    promised(outcome.account),
    "Somebody without a credential:",
    promised(outcome.stranger),
    "What was paid for:",
    table(
      ["", "the account", "the stranger", "the crons behind them"],
      COSTS.map(([name, of]) => [
        name,
        ...PAYERS.map((payer) => number(Math.round(of(outcome.meter.of[payer])))),
      ]),
    ),
    "What lay there:",
    table(
      ["", "at its peak", "at the end", "after the quiet days"],
      Object.keys(outcome.peak).map((what) => [
        what,
        ...[outcome.peak, outcome.end, outcome.afterwards].map((stored) => number(stored[what] ?? 0)),
      ]),
    ),
    `Answers to the account: ${answers(outcome.answers.account)}.`,
    `Answers to the stranger: ${answers(outcome.answers.stranger)}.`,
  ].join("\n\n");
