import type { JobSummary, ListJobsQuery } from "../contract/job.ts";
import { ProcessingMode, Status } from "../../shared/api/primitives.ts";

/** SQL with the values of its parameters. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** A job as the account's list shows it; times are epoch milliseconds. */
export type JobRow = Omit<JobSummary, "createdAt" | "updatedAt" | "continues"> & {
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly continues: string | null;
};

const ROW = `id AS jobId, type, mode AS processingMode, total_items AS totalItems, status, created_at AS createdAt,
  updated_at AS updatedAt, error, continues`;

/** The part of an account's list in one index, newest first. */
type Range = Pick<ListJobsQuery, "jobId" | "continues" | "mode" | "status">;

/**
 * Returns the ranges that together make up the requested list. The index of statuses has the jobs of one status and one mode in
 * the order of their ids. A filter without one of the two becomes one range per value: at most four, and D1 takes five in one
 * statement.
 */
function rangesOf({ jobId, continues, mode, status }: Range): Range[] {
  const isNarrow = jobId !== undefined || continues !== undefined;
  if (isNarrow || (mode === undefined && status === undefined)) return [{ jobId, continues, mode, status }];
  const modes = mode === undefined ? ProcessingMode.options : [mode];
  const statuses = status === undefined ? Status.options : [status];
  return statuses.flatMap((eachStatus) => modes.map((eachMode) => ({ mode: eachMode, status: eachStatus })));
}

/**
 * Returns the statement for up to `query.limit` of an account's jobs that are older than `before`, newest first: JobRows. It has
 * only the conditions of the query, because SQLite plans a statement before it knows its values: it uses no index for a condition
 * that a value switches off. It uses none for a condition behind a plus, either: so it reads few of the jobs that continue
 * another. SQLite merges the ranges without sorting, and reads no more rows than the page has.
 */
export function jobsPage(accountId: string, query: ListJobsQuery, before: string | null): Statement {
  const values: (string | number)[] = [];
  const bind = (value: string | number): string => `?${values.push(value)}`;
  const account = bind(accountId);
  const limit = bind(query.limit);
  const older = before === null ? "" : ` AND id < ${bind(before)}`;
  const equal = (column: string, value: string | undefined): string =>
    value === undefined ? "" : ` AND ${column} = ${bind(value)}`;
  const selects = rangesOf(query).map(
    ({ jobId, continues, mode, status }) =>
      `SELECT ${ROW} FROM jobs
       WHERE ${continues === undefined ? "" : "+"}account_id = ${account}${equal("id", jobId)}${equal("continues", continues)}${equal("status", status)}${equal("mode", mode)}${older}`,
  );
  return { sql: `${selects.join(" UNION ALL ")} ORDER BY jobId DESC LIMIT ${limit}`, values };
}
