/** A metric's unit, as the dashboard names it. */
type Unit = "ms" | "s" | "bytes" | "count";

interface Metric {
  /** The fields of the line that a query may group by: words of a limited vocabulary, never an id or a client's text. */
  readonly labels: readonly string[];
  /** The measured fields of the line, with their units. */
  readonly values: Readonly<Record<string, Unit>>;
}

/**
 * The measures: lines of the log by their event. Any other line at `warn` or `error` is counted under its event, too, without
 * labels or values.
 */
export const METRICS = {
  request: { labels: ["operation", "status", "error"], values: { ms: "ms" } },
  job_started: { labels: ["lane"], values: { ms: "ms" } },
  job_ended: { labels: ["lane", "status"], values: { ms: "ms" } },
  job_canceled: { labels: ["by"], values: { canceledTasks: "count" } },
  job_purged: { labels: ["phase", "purge"], values: { files: "count" } },
  task_offered: { labels: ["lane", "outcome"], values: { ms: "ms" } },
  tasks_put_off: { labels: ["lane", "why"], values: { tasks: "count" } },
  task_completed: { labels: ["reported", "outcome", "problem"], values: {} },
  lease_expired: { labels: ["lane"], values: {} },
  archive_ended: { labels: ["status"], values: { ms: "ms" } },
  archive_built: { labels: [], values: { ms: "ms", messages: "count", files: "count", size: "bytes" } },
  archive_unfinished: { labels: [], values: { ms: "ms" } },
  webhook_attempted: { labels: ["type", "outcome"], values: { ms: "ms" } },
  webhook_delivery_ended: { labels: ["type", "outcome"], values: { ms: "ms", attempts: "count" } },
  webhook_backlog: { labels: [], values: { deliveries: "count", bytes: "bytes" } },
  webhook_deliveries_dropped: { labels: ["because"], values: { deliveries: "count" } },
  lane_gauges: {
    labels: ["lane"],
    values: { openJobs: "count", openTasks: "count", waitingJobs: "count", oldestWaitingSeconds: "s" },
  },
  database_gauges: {
    labels: ["database"],
    values: {
      bytes: "bytes",
      stuckJobs: "count",
      deadLetters: "count",
      unpurgedJobs: "count",
      readMs: "ms",
      unsweptSeconds: "s",
    },
  },
  database_failed: { labels: ["database", "fault"], values: { times: "count" } },
  usage_reported: { labels: [], values: { due: "count", sent: "count", oldestSeconds: "s" } },
  account_owes: { labels: [], values: { units: "count", percent: "count" } },
  account_uncharged: { labels: [], values: { units: "count", chargedUnits: "count" } },
  books_closed: { labels: [], values: { parts: "count", jobs: "count", purgedMeterEvents: "count" } },
  uploads_inspected: {
    labels: [],
    values: { inspected: "count", due: "count", lateMs: "ms", unreported: "count" },
  },
  sizes_noted: { labels: [], values: { uploads: "count", lateMs: "ms" } },
  upload_gauges: { labels: [], values: { unsized: "count", oldestSeconds: "s" } },
  uploads_swept: { labels: [], values: { unused: "count", swept: "count" } },
  cron_ended: { labels: ["cron"], values: { ms: "ms" } },
} as const satisfies Readonly<Record<string, Metric>>;

type Metrics = typeof METRICS;
export type MetricName = keyof Metrics;
type Label = string | number | null | undefined;

/** The fields that a line of this event must have. */
export type MeasuredFields<Event extends string> = Event extends MetricName
  ? Readonly<Record<Metrics[Event]["labels"][number], Label>> &
      Readonly<Record<keyof Metrics[Event]["values"] & string, number | null>>
  : unknown;

/** A data point of Workers Analytics Engine: blob 1 is the line's level, the labels follow. */
export interface DataPoint {
  readonly indexes: [string];
  readonly blobs: string[];
  readonly doubles: number[];
}

const isMetric = (event: string): event is MetricName => Object.hasOwn(METRICS, event);

/** The metric of an event; without labels and values if the table does not have it. */
const metricOf = (event: string): Metric => (isMetric(event) ? METRICS[event] : { labels: [], values: {} });

/** Longer than any of our words; Analytics Engine takes 16 KB of them per point. */
const MOST_LABEL_CHARACTERS = 96;

const labelOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value).slice(0, MOST_LABEL_CHARACTERS) : "";

/** The data point of a line; null if it is neither measured nor a warning or an error. */
export function pointOf(
  level: string,
  event: string,
  fields: Readonly<Record<string, unknown>>,
): DataPoint | null {
  if (level === "info" && !isMetric(event)) return null;
  const { labels, values } = metricOf(event);
  return {
    // Analytics Engine samples by the index: it keeps a rare event in full next to a frequent one.
    indexes: [event],
    blobs: [level, ...labels.map((name) => labelOf(fields[name]))],
    doubles: Object.keys(values).map((name) => Number(fields[name] ?? 0)),
  };
}
