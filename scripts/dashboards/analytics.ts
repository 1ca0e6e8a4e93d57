import { columnOf, type MetricName } from "../../src/core/metrics.ts";

/** The dataset of wrangler.toml; a test compares them. */
export const DATASET = "segmentation";

/** What a graph shows of a metric. Its fields are those of the table of metrics. */
export interface Figure {
  readonly metric: MetricName;
  readonly show: "count" | "sum" | "highest" | "p95";
  /** The value; a count has none. */
  readonly of?: string;
  /** The label of which each value is a line of its own; absent: there is one line. */
  readonly by?: string;
  /** Which points, by label: the rest of an SQL comparison. */
  readonly where?: Readonly<Record<string, string>>;
}

/** A point of the dataset stands for `_sample_interval` points, because Analytics Engine samples what is frequent. */
function aggregate({ metric, show, of = "" }: Figure): string {
  if (show === "count") return "SUM(_sample_interval)";
  const column = columnOf(metric, of);
  switch (show) {
    case "sum":
      return `SUM(_sample_interval * ${column})`;
    case "highest":
      return `MAX(${column})`;
    case "p95":
      return `quantileExactWeighted(0.95)(${column}, _sample_interval)`;
  }
}

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

/** The SQL of a figure over time. @throws Error if the metric lacks one of the fields */
export function sqlOf(figure: Figure): string {
  const { metric, by, where = {} } = figure;
  const conditions = Object.entries(where).map(([label, is]) => `${columnOf(metric, label)} ${is}`);
  const line = by === undefined ? null : columnOf(metric, by);
  return overTime(aggregate(figure), line, [`index1 = '${metric}'`, ...conditions]);
}

/** The SQL of how many lines of these levels were logged, by their event. */
export const eventsSql = (...levels: readonly ("warn" | "error")[]): string =>
  overTime("SUM(_sample_interval)", "index1", [
    `blob1 IN (${levels.map((level) => `'${level}'`).join(", ")})`,
  ]);
