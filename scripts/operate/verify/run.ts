import { counted } from "../../../client/src/cli/progress/words.ts";
import { messageOf } from "../../shared/error-parts.ts";
import { JOB_ROWS } from "./job-rows.ts";
import { OPERATOR_ROWS, RATE_ROW } from "./operator-rows.ts";
import { OUTSIDE_ROWS } from "./outside-rows.ts";
import { LeftOut, type Outcome, type Row } from "./row.ts";
import { SERVICE_ROWS } from "./service-rows.ts";
import { STORAGE_ROWS } from "./storage-rows.ts";
import { WEBHOOK_ROWS } from "./webhook-rows.ts";
import type { World } from "./world.ts";

/** Independent groups are verified in parallel; within a group, one row after the other. */
const GROUPS: readonly (readonly Row[])[] = [
  STORAGE_ROWS,
  JOB_ROWS,
  WEBHOOK_ROWS,
  OUTSIDE_ROWS,
  OPERATOR_ROWS,
];

/** All rows, in the order of the table. */
export const ROWS: readonly Row[] = [...SERVICE_ROWS, ...GROUPS.flat(), RATE_ROW];

/** Without these, each other row would only wait and fail. */
const NEEDED_BY_ALL: ReadonlySet<string> = new Set(["health", "key"]);

const MAKER = "a job of many pictures";
const RESULTS = "the results of many pictures";
/** Rows that others depend on: they create the large job, and wait for its end. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  "queue's delay": [MAKER],
  "a stream": [MAKER],
  [RESULTS]: [MAKER],
  "a zip": [MAKER, RESULTS],
};

async function outcomeOf({ name, run, mend }: Row, world: World): Promise<Outcome> {
  try {
    return { name, verdict: "ok", saw: await run(world), mend: null };
  } catch (error) {
    world.signal.throwIfAborted();
    if (error instanceof LeftOut) return { name, verdict: "left out", saw: error.message, mend: null };
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
    return { name, verdict: "wrong", saw: messageOf(error) + cause, mend };
  }
}

/** Time limit of the deletion after everything else has ended or was ended. */
const DELETION_MS = 60_000;

const DELETED = "what it made is deleted";

async function deletion(world: World): Promise<Outcome> {
  const { made } = world;
  const count = [
    counted(made.jobs.size, "job"),
    counted(made.uploads.size, "upload"),
    counted(made.endpoints.size, "endpoint"),
  ].join(", ");
  const left = await made.deleteAll(world.client, AbortSignal.timeout(DELETION_MS));
  return left.length === 0
    ? { name: DELETED, verdict: "ok", saw: `${count}; ${counted(made.units, "unit")} at most`, mend: null }
    : {
        name: DELETED,
        verdict: "wrong",
        saw: `${left.length} could not be deleted: ${left.join(", ")}`,
        mend: "delete them with the API; an upload goes by itself within a day",
      };
}

/**
 * Verifies the service, and always deletes what it created.
 * @param only the names of the rows to verify; null for all
 * @param onRow is called with each row as it ends
 * @throws the signal's reason, once everything is deleted
 */
export async function verifyRows(
  world: World,
  only: ReadonlySet<string> | null,
  onRow: (outcome: Outcome) => void,
): Promise<readonly Outcome[]> {
  const isWanted = ({ name }: Row): boolean =>
    only === null || only.has(name) || [...only].some((one) => NEEDS[one]?.includes(name));
  const outcomes = new Map<string, Outcome>();
  const note = (outcome: Outcome): void => {
    outcomes.set(outcome.name, outcome);
    onRow(outcome);
  };
  const runAll = async (rows: readonly Row[]): Promise<void> => {
    for (const row of rows.filter(isWanted)) note(await outcomeOf(row, world));
  };
  let later: readonly Row[] = [...GROUPS.flat(), RATE_ROW];
  try {
    for (const row of SERVICE_ROWS) {
      await runAll([row]);
      if (outcomes.get(row.name)?.verdict !== "wrong" || !NEEDED_BY_ALL.has(row.name)) continue;
      const saw = `nothing else can be tried while "${row.name}" is wrong`;
      for (const { name } of ROWS.filter(isWanted))
        if (!outcomes.has(name)) outcomes.set(name, { name, verdict: "left out", saw, mend: null });
      later = [];
      break;
    }
    // All of them end before anything is deleted.
    const ends = await Promise.allSettled(
      GROUPS.map((group) => runAll(group.filter((row) => later.includes(row)))),
    );
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  } finally {
    note(await deletion(world));
  }
  await runAll([RATE_ROW].filter((row) => later.includes(row)));
  return [...ROWS.map(({ name }) => name), DELETED].flatMap((name) => outcomes.get(name) ?? []);
}
