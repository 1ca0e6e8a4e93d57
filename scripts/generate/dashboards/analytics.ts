import { columnOf, type MetricName } from "../../../src/shared/metrics.ts";

/** The dataset of wrangler.toml; a test compares them. */
export const DATASET = "segmentation";

/** The points to select, by label: the rest of an SQL comparison. */
type Where = Readonly<Record<string, string>>;

/** `$timeSeries` and `$timeFilter` are macros of the Altinity plugin: the graph's steps and its time range. */
function overTime(value: string, line: string | null, conditions: readonly string[]): string {
  return [
    `SELECT $timeSeries AS t, ${line === null ? "" : `${line} AS line, `}${value} AS value`,
    `FROM ${DATASET}`,
    `WHERE ${["$timeFilter", ...conditions].join(" AND ")}`,
    `GROUP BY t${line === null ? "" : ", line"}`,
    `ORDER BY t${line === null ? "" : ", line"}`,
  ].join("\n");
}

/**
 * @param by the label with one line per value
 * @throws Error if the metric lacks one of the fields
 */
function sqlOf(value: string, metric: MetricName, by?: string, where: Where = {}): string {
  const conditions = Object.entries(where).map(([label, is]) => `${columnOf(metric, label)} ${is}`);
  const line = by === undefined ? null : columnOf(metric, by);
  return overTime(value, line, [`index1 = '${metric}'`, ...conditions]);
}

/*
 * The SQL of a metric over time; fields are those of the table of metrics. A point of the dataset represents `_sample_interval`
 * points, because Analytics Engine samples frequent events.
 */

/** Returns the number of points. */
export const count = (metric: MetricName, by?: string, where?: Where): string =>
  sqlOf("SUM(_sample_interval)", metric, by, where);

/** The sum of a value. */
export const sum = (metric: MetricName, of: string, by?: string): string =>
  sqlOf(`SUM(_sample_interval * ${columnOf(metric, of)})`, metric, by);

/** The highest value. */
export const highest = (metric: MetricName, of: string, by?: string): string =>
  sqlOf(`MAX(${columnOf(metric, of)})`, metric, by);

/** The 95th percentile of a value. */
export const p95 = (metric: MetricName, of: string, by?: string, where?: Where): string =>
  sqlOf(`quantileExactWeighted(0.95)(${columnOf(metric, of)}, _sample_interval)`, metric, by, where);

/** Returns the number of logged lines of these levels, by their event. */
export const eventsSql = (...levels: readonly ("warn" | "error")[]): string =>
  overTime("SUM(_sample_interval)", "index1", [
    `blob1 IN (${levels.map((level) => `'${level}'`).join(", ")})`,
  ]);
