import {
  CanceledJob,
  DeadLetters,
  ReplayedLetters,
  StuckJobs,
} from "../../../src/operator/contract/operator.ts";
import { Failure } from "../../shared/command-line.ts";
import type { Row, Database } from "../../shared/database/database.ts";
import { NoWorker, type OperatorApi } from "../../shared/database/operator-api.ts";
import { readable, type Outcome } from "../../shared/database/print.ts";
import { sql } from "../../shared/database/sql.ts";
import { JobReport } from "../../../src/jobs/contract/job-report.ts";

/** Returns a report's fields without its tasks. */
function headOf(report: JobReport): Row {
  const { tasks: _, archive, ...head } = report;
  if (archive === null) return readable({ ...head, archive });
  const holder = archive.lease === null ? "" : ` by lease ${archive.lease}`;
  return readable({ ...head, archive: `${archive.at}${holder}, attempts: ${archive.attempts}` });
}

const tasksOf = ({ tasks }: JobReport): Row[] =>
  tasks.map(({ until, ...task }) => readable({ ...task, untilAt: until }));

const reportOf = (report: JobReport): Outcome => ({ result: headOf(report), details: tasksOf(report) });

/** Returns the report of a job's object; without a reachable Worker, the list's row, and the reason. */
export async function showJob(
  open: () => Promise<OperatorApi>,
  rowOf: () => Promise<Row>,
  jobId: string,
): Promise<Outcome> {
  try {
    const api = await open();
    return reportOf(JobReport.parse(await api.call("GET", `/jobs/${jobId}`)));
  } catch (error) {
    if (!(error instanceof NoWorker)) throw error;
    return { result: await rowOf(), summary: `This is only the job's row in the list. ${error.message}` };
  }
}

/** Wakes a job, like its alarm. */
export const wakeJob = async (api: OperatorApi, jobId: string): Promise<Outcome> =>
  reportOf(JobReport.parse(await api.call("POST", `/jobs/${jobId}/wake`)));

export const cancelJob = async (api: OperatorApi, jobId: string): Promise<Outcome> => ({
  result: { ...CanceledJob.parse(await api.call("POST", `/jobs/${jobId}/cancel`)) },
});

/** The jobs in progress that have not changed for `hours`. */
export async function stuckJobs(api: OperatorApi, hours: number): Promise<Outcome> {
  const { jobs, away } = StuckJobs.parse(await api.call("GET", `/stuck-jobs?hours=${hours}`));
  const rows = jobs.map(({ jobId, updatedAt, answers, report }) => {
    const silence = answers ? "knows nothing of it" : "does not answer";
    const waiting = report?.tasks.find(({ at }) => at !== "success" && at !== "failed");
    return readable({
      jobId,
      updatedAt,
      object: report === null ? silence : `${report.phase}, ${report.status}`,
      firstOpenTask: waiting === undefined ? null : `${waiting.at}, attempts: ${waiting.attempts}`,
      problem: waiting?.problem ?? null,
      alarmAt: report?.alarmAt ?? null,
    });
  });
  return {
    result: rows,
    summary: `Jobs in progress that have not changed for ${hours} hours: ${rows.length}.${missing(away)}`,
  };
}

/** Names the databases that a list lacks. */
const missing = (away: readonly string[]): string =>
  away.length === 0 ? "" : ` Without those of ${away.join(", ")}, which does not answer: ask again later.`;

/** Lists the newest dead letters; with `replay` sends all of them again, call by call, until a call sends none. */
export async function deadLetters(api: OperatorApi, replay: boolean): Promise<Outcome> {
  if (replay) {
    const all = { replayed: 0, dropped: 0 };
    for (;;) {
      const call = ReplayedLetters.parse(await api.call("POST", "/dead-letters/replay"));
      all.replayed += call.replayed;
      all.dropped += call.dropped;
      if (call.replayed + call.dropped > 0) continue;
      return { result: all, ...(call.away.length > 0 && { summary: missing(call.away).trim() }) };
    }
  }
  const { letters, away } = DeadLetters.parse(await api.call("GET", "/dead-letters"));
  return {
    result: letters.map((letter) => readable(letter)),
    summary: `${letters.length} dead letters.${missing(away)}`,
  };
}

/** A job's row in the list of jobs, with its times as ISO 8601. @throws Failure if there is no such job */
export async function findJob(database: Database, jobId: string): Promise<Row> {
  const [rows] = await database.run([sql`SELECT * FROM jobs WHERE id = ${jobId}`]);
  const row = rows?.[0];
  if (!row) throw new Failure(`There is no job ${jobId}.`);
  return readable(row);
}
