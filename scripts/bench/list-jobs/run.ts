import { z } from "zod";
import type { BenchRequest } from "../arguments.ts";
import { formatSpread, spread, markdownTable } from "../report.ts";
import { migrationStatements, withWorker } from "../workers-runtime.ts";

const FILTERS = [
  "no filter, first page",
  "no filter, deep page",
  "jobId",
  "status=success, first page",
  "status=success, deep page",
  "status=failed, which is rare",
  "mode=batch, first page",
  "mode=batch, deep page",
  "status=failed and mode=batch",
];
const FEW_JOBS = 1_000;
const PAGES = 100;

type Database = "FEW" | "MANY";

/** How long a page takes, in milliseconds, in one round. */
interface Round {
  readonly few: number;
  readonly many: number;
}

/** Measures a page of listJobs for each filter, of an account with few jobs and of one with many. Returns the report's lines. */
export async function benchListJobs({ rounds, quick }: BenchRequest, signal: AbortSignal): Promise<string[]> {
  const jobs = quick ? 100_000 : 1_000_000;
  const sizes = { FEW: FEW_JOBS, MANY: jobs };
  return withWorker("list-jobs", signal, async (worker) => {
    for (const db of ["FEW", "MANY"] as const) {
      await worker.call("", { do: "run", db, statements: await migrationStatements() });
      console.error(`Listing ${sizes[db]} jobs…`);
      await worker.call("", { do: "fill", db, jobs: sizes[db] });
    }
    const read = async (db: Database, filter: string): Promise<number> =>
      z.number().parse(await worker.call("", { do: "read", db, jobs: sizes[db], filter, pages: PAGES }));

    const rows: string[][] = [];
    for (const filter of FILTERS) {
      console.error(`Reading: ${filter}…`);
      await read("FEW", filter);
      await read("MANY", filter);
      const measured: Round[] = [];
      for (let i = 0; i < rounds; i += 1) {
        const first: Database = i % 2 === 0 ? "FEW" : "MANY";
        const a = await read(first, filter);
        const b = await read(first === "FEW" ? "MANY" : "FEW", filter);
        measured.push(first === "FEW" ? { few: a, many: b } : { few: b, many: a });
      }
      const column = (value: (round: Round) => number) => formatSpread(spread(measured.map(value)), 2);
      rows.push([
        filter,
        column(({ few }) => few),
        column(({ many }) => many),
        `**${column(({ few, many }) => many / few)}**`,
      ]);
    }
    const heading = [
      `median [least–most] of ${rounds} rounds of ${PAGES} pages`,
      `${FEW_JOBS} jobs, ms per page`,
      `${jobs} jobs, ms per page`,
      "ratio",
    ];
    return ["", ...markdownTable(heading, rows)];
  });
}
