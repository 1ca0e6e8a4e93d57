import { Lane } from "@segmentation/protocol";
import { z } from "zod";
import { JobReport } from "../../jobs/contract/job-report.ts";

/*
 * The operator's API, `/internal/operator`: for `npm run admin` and autoscalers alone, and not part of the public contract. Times are epoch
 * milliseconds.
 */

const time = z.number();
/** Databases that did not answer, whose part is missing. */
const away = z.array(z.string()).default([]);
const count = z.int();

export const CanceledJob = z.object({ jobId: z.string(), canceledTasks: count });
export type CanceledJob = z.infer<typeof CanceledJob>;

/** State of each database on which the service relies: store/probe.ts. */
export const DatabaseProbe = z.object({
  databases: z.array(z.object({ name: z.string(), countsChanges: z.boolean(), showsErrors: z.boolean() })),
});
export type DatabaseProbe = z.infer<typeof DatabaseProbe>;

/** The delay of an alarm, in milliseconds. */
export const AlarmProbe = z.object({ lateMs: z.number() });
export type AlarmProbe = z.infer<typeof AlarmProbe>;

/** The versions of the protocol that the Worker and the inference service speak; `service` is null if it does not say. */
export const ProtocolProbe = z.object({
  worker: count,
  service: count.nullable(),
  /** The reason why the Worker gets no model from the service. */
  reason: z.string().nullable(),
  /** Each pool: its model, null if it does not say; and why it takes no task now, null if it does. */
  pools: z.array(z.object({ name: z.string(), model: z.string().nullable(), away: z.string().nullable() })),
});
export type ProtocolProbe = z.infer<typeof ProtocolProbe>;

/** The messages of a lane's queue: tasks that no inference service holds. */
const LaneBacklog = z.object({ waiting: count, oldestSeconds: count });

/** The work for an autoscaler of inference services. */
export const Backlog = z.object({
  /** Tasks that could run at the same time, including those that are running; 0 if no job is in progress. */
  runnable: count,
  lanes: z.record(Lane, LaneBacklog),
});
export type Backlog = z.infer<typeof Backlog>;

export const StuckJobsQuery = z.object({ hours: z.coerce.number().int().min(1).max(720).default(24) });

/** Listed jobs that have been in progress for long, oldest first; `report` is null if the object does not answer or has no job. */
export const StuckJobs = z.object({
  jobs: z.array(
    z.object({ jobId: z.string(), updatedAt: time, answers: z.boolean(), report: JobReport.nullable() }),
  ),
  away,
});
export type StuckJobs = z.infer<typeof StuckJobs>;

/** The content of a dead letter: a task's message, or an archive's if `taskId` is null, or nothing readable. */
export const DeadLetter = z.object({
  id: count,
  at: time,
  jobId: z.string().nullable(),
  taskId: z.string().nullable(),
});
export type DeadLetter = z.infer<typeof DeadLetter>;
export const DeadLetters = z.object({ letters: z.array(DeadLetter), away });
export type DeadLetters = z.infer<typeof DeadLetters>;

export const ReplayedLetters = z.object({ replayed: count, dropped: count, away });
export type ReplayedLetters = z.infer<typeof ReplayedLetters>;

const MOST_OBJECTS = 50;
export const RelistRequest = z.object({
  /** Ids of JobObjects, as the platform lists them. */
  objectIds: z
    .array(z.string().regex(/^[0-9a-f]{64}$/))
    .min(1)
    .max(MOST_OBJECTS),
  dryRun: z.boolean(),
});

/**
 * The part of an object's job that the list lacked. `empty`: there is no job. `unsettled`: it is undecided, being deleted, or
 * withdrawn. `listed`: nothing. `behind`: its newest version. `missing`: all of it. `account_missing`: its account too, so
 * nothing was written. `account_erased`: its account is being erased or is erased, and so is the job. `books_closed`: all of it,
 * and the books of its time are closed: it stays off the list. `failed`: the object did not answer, or its job could not be
 * written; the log has the reason.
 */
export const Relisted = z.object({
  objectId: z.string(),
  jobId: z.string().nullable(),
  accountId: z.string().nullable(),
  /** The job's usage; null while it is in progress, or without a job. */
  usedUnits: count.nullable(),
  found: z.enum([
    "empty",
    "unsettled",
    "listed",
    "behind",
    "missing",
    "account_missing",
    "account_erased",
    "failed",
    "books_closed",
  ]),
});
export type Relisted = z.infer<typeof Relisted>;
export const RelistAnswer = z.object({ objects: z.array(Relisted) });

export const ResealRequest = z.object({ after: z.string() });

/** The result of a run over one page of webhook endpoints and their sealed secrets. */
export const ResealAnswer = z.object({
  looked: count,
  resealed: count,
  /** Endpoints with secrets that none of the service's secrets opens. */
  unreadable: z.array(z.string()),
  /** The start of the next page, for the next request; null after the last. */
  next: z.string().nullable(),
  /** True if there is a previous secret, which only reads. */
  hasPrevious: z.boolean(),
  /** Validity of a new signature, in milliseconds: nothing else sealed or signed lives longer. */
  signedMs: z.number(),
});
export type ResealAnswer = z.infer<typeof ResealAnswer>;
/** `confirmed`: true to delete the copy; otherwise the answer describes it. */
export const DeleteCopyRequest = z.object({ from: z.string(), confirmed: z.boolean() });

export const MoveRequest = z.object({
  to: z.string(),
  /** True if the copy is in order, so that the account may use it: otherwise a move ends at `copied`. */
  confirmed: z.boolean(),
});

/**
 * The progress of an account's move. `copying`: its rows are being copied. `copied`: all of them are, and it waits for the
 * confirmation. `moving`: its objects are being notified, or its old rows are being deleted. `moved`: it is only in the new
 * database.
 */
export const MoveReport = z.object({
  accountId: z.string(),
  state: z.enum(["copying", "copied", "moving", "moved"]),
  from: z.string(),
  to: z.string(),
  /** Number of its rows there so far. */
  rows: count,
});
export type MoveReport = z.infer<typeof MoveReport>;

/**
 * The progress of an account's erasure. `erasing`: data is left. `emptied`: nothing is left, but a holder of a signed URL may
 * still PUT, so the sweep checks once more. `erased`: it has checked, and no holder can write any more.
 */
export const ErasureReport = z.object({
  accountId: z.string(),
  state: z.enum(["erasing", "emptied", "erased"]),
  jobsLeft: z.int(),
  uploadsLeft: z.int(),
  /** Webhook endpoints whose deliveries still exist. */
  endpointsLeft: z.int(),
  /** True if the bucket may still have files of the account. */
  filesLeft: z.boolean(),
  /** Numbers of jobs, uploads and files that this run has deleted. */
  deleted: z.int(),
  /** Time of the sweep's next check: epoch milliseconds. */
  checksAgainAt: z.number(),
  /** The account's customers at the payment provider, for the operator to delete there. */
  customerIds: z.array(z.string()).readonly(),
});
export type ErasureReport = z.infer<typeof ErasureReport>;
