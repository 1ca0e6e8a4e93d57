/** The numbers of the job protocol; times in milliseconds. */
export interface JobPolicy {
  /** Maximum number of tasks of one job that may be queued or leased at once, so that a batch never blocks a single picture. */
  readonly window: number;
  readonly maxAttempts: number;
  /** Duration of a lease unless a progress report extends it. */
  readonly leaseMs: number;
  /** Time after which an unclaimed message counts as lost. */
  readonly resendMs: number;
  /** Time without room or progress after which a task fails. */
  readonly giveUpMs: number;
  /** Time that a stored job may wait for its acceptance. */
  readonly prepareMs: number;
  /** Time that one message's builder works on an archive, and its maximum number of files; then the next message continues. */
  readonly archiveSliceMs: number;
  readonly archiveSliceFiles: number;
  /** Time that a builder works before it saves its progress. */
  readonly archiveKeepMs: number;
  readonly archiveTtlMs: number;
  /** Validity of the URL for the PUT of an output: longer than the inference service keeps retrying a result. */
  readonly outputUrlMs: number;
  readonly retentionMs: number;
}

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** The defaults; an operator's settings may replace some of them. */
export const DEFAULT_POLICY: JobPolicy = {
  window: 6,
  maxAttempts: 3,
  leaseMs: 60 * SECOND,
  // A message postponed for lack of room is not lost, and waking its job would write rows: its queue keeps it.
  resendMs: HOUR,
  giveUpMs: DAY,
  prepareMs: 30 * SECOND,
  // A consumer has 15 minutes, and 5 minutes of CPU time: a slice reaches neither, even with a long last file.
  archiveSliceMs: 240 * SECOND,
  archiveSliceFiles: 20_000,
  archiveKeepMs: 15 * SECOND,
  archiveTtlMs: DAY,
  outputUrlMs: HOUR,
  retentionMs: 30 * DAY,
};

/**
 * Time after the end of its lease in which a holder may still write: until its URLs have expired, and then for as long again,
 * because a PUT that began in time may end later. The builder of an archive is cut off long before.
 */
export const lateWritesMs = ({ outputUrlMs }: JobPolicy): number => 2 * outputUrlMs;

/** Doubles with every try (0, 1, 2, …) from `first` up to `most`. */
const backoff = (tries: number, first: number, most: number): number =>
  Math.min(first * 2 ** Math.min(tries, 30), most);

/** Returns the wait of a task after its n-th failed attempt (n from 1). */
export const retryDelay = (attempt: number): number => backoff(attempt - 1, 2 * SECOND, 60 * SECOND);

/**
 * Returns the wait of a task after a refusal, with `refusals` earlier ones in a row: at least as long as the service asked, and
 * up to half as long again, by `random` in [0, 1). Otherwise tasks refused together would come back together every time, and find
 * the service full, or let it idle meanwhile.
 */
export const refusalDelay = (refusals: number, askedMs: number, random: number): number =>
  Math.round(Math.max(askedMs, backoff(refusals, SECOND, 30 * SECOND)) * (1 + random / 2));

/**
 * Returns the wait before a failed send is retried, after that many earlier tries in a row, and up to half as long again by
 * `random` in [0, 1): jobs that failed together come back ever more rarely, and apart.
 */
export const sendRetryDelay = (tries: number, random: number): number =>
  Math.round(backoff(tries, 5 * SECOND, 600 * SECOND) * (1 + random / 2));

/** A waiting task comes back after this share of the time that it has waited already, and up to half as long again. */
const PUT_OFF_SHARE = 0.1;

/**
 * Returns the seconds by which to postpone the message of a task without room, by its job's wait so far: a long wait grows by a
 * tenth, so many waiting tasks ask ever more rarely. `random` is in [0, 1).
 */
export function putOffSeconds(waitedMs: number, random: number): number {
  const share = Math.min(600, Math.max(2, (waitedMs / SECOND) * PUT_OFF_SHARE));
  return Math.round(share * (1 + random / 2));
}

/**
 * Returns the time at which an unheld task fails for lack of room. It counts from the last progress of its job: while other tasks
 * progress, it only waits its turn. It also counts from the task's last failed attempt, so that a long attempt leaves time for
 * the next.
 */
export const givesUpAt = (
  task: { readonly failedAt?: number },
  job: {
    readonly definition: { readonly createdAt: number };
    readonly standstill?: { readonly since: number };
  },
  policy: JobPolicy,
): number =>
  Math.max(task.failedAt ?? 0, job.standstill?.since ?? job.definition.createdAt) + policy.giveUpMs;

/** Returns how long a message may stay unclaimed after `sends` earlier ones counted as lost. */
export const resendDelay = (policy: JobPolicy, sends: number): number =>
  backoff(sends, policy.resendMs, 6 * HOUR);
