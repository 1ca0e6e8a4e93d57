import { globSync, readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Metrics } from "../../../inference-container/src/metrics.ts";
import { ERROR_CATALOGUE } from "../../../src/shared/errors.ts";
import { METRICS } from "../../../src/shared/metrics.ts";

const Dashboard = z.object({
  panels: z.array(
    z.object({
      title: z.string(),
      type: z.string(),
      targets: z.array(z.object({ query: z.string().optional(), expr: z.string().optional() })).optional(),
    }),
  ),
});

/** Each graph of a dashboard, with the query that Grafana sends. */
function graphsOf(file: string): [title: string, query: string][] {
  const { panels } = Dashboard.parse(JSON.parse(readFileSync(`docs/grafana/${file}`, "utf8")));
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ query, expr }): [string, string] => [title, query ?? expr ?? ""]),
  );
}

/** Number of blobs and doubles in the points of each index: the level, the labels, the values. */
const COLUMNS = new Map(
  Object.entries(METRICS).map(([name, { labels, values }]) => [
    name,
    { blobs: 1 + labels.length, doubles: Object.keys(values).length },
  ]),
);
/** The fields of a point for any other line. */
const LEVEL_ALONE = { blobs: 1, doubles: 0 };

const events = new Set(
  [
    ...globSync("src/**/*.ts")
      .map((path) => readFileSync(path, "utf8"))
      .join("\n")
      .matchAll(/log(?:Sparsely)?\(\s*[^,]+,\s*"(\w+)"/g),
  ]
    .map((match) => match[1] ?? "")
    .concat("job_started", "job_ended"),
);

/** The rows of the operator's table of alarms. */
const [, table = ""] = readFileSync("docs/operations/monitoring.md", "utf8").split("| graph | alarm |");
const ALARMS = [...(table.split("\n\n")[0] ?? "").matchAll(/^\| (\w.*) \|$/gm)].map(([, row = ""]) => row);

describe("the dashboards", () => {
  it.each(["worker.json", "inference.json"])("have graphs with distinct titles: %s", (file) => {
    const titles = graphsOf(file).map(([title]) => title);
    expect(titles.length).toBeGreaterThan(5);
    expect(new Set(titles).size).toBe(titles.length);
  });
});

describe("the Worker's dashboard", () => {
  const graphs = graphsOf("worker.json");

  it.each(graphs)("%s: asks only for metrics, labels and values that the Worker writes", (_title, query) => {
    const [, index] = /index1 = '(\w+)'/.exec(query) ?? [];
    if (index !== undefined) expect([...COLUMNS.keys()]).toContain(index);
    const { blobs, doubles } = COLUMNS.get(index ?? "") ?? LEVEL_ALONE;
    const named = (column: string): number[] =>
      [...query.matchAll(new RegExp(`${column}(\\d+)`, "g"))].map(([, number]) => Number(number));
    for (const number of named("blob")) expect(number).toBeLessThanOrEqual(blobs);
    for (const number of named("double")) expect(number).toBeLessThanOrEqual(doubles);
    // A query over all events selects by their level.
    expect(index !== undefined || query.includes("blob1 IN (")).toBe(true);
  });

  it("shows each metric, and each value of it", () => {
    const all = graphs.map(([, query]) => query);
    for (const [name, { values }] of Object.entries(METRICS)) {
      const own = all.filter((query) => query.includes(`index1 = '${name}'`));
      expect(own.length, name).toBeGreaterThan(0);
      for (const [i, value] of Object.keys(values).entries()) {
        expect(own.join("\n"), `${name} ${value}`).toMatch(new RegExp(`double${i + 1}\\b`));
      }
    }
  });

  it("reads the dataset that wrangler.toml names", () => {
    const { analytics_engine_datasets: datasets } = parse(readFileSync("wrangler.toml", "utf8"));
    expect(datasets).toEqual([{ binding: "METRICS", dataset: "segmentation" }]);
    for (const [, query] of graphs) expect(query).toContain("\nFROM segmentation\n");
  });
});

describe("the alarms", () => {
  it("watch graphs of the Worker's dashboard", () => {
    const titles = graphsOf("worker.json").map(([title]) => title);
    expect(ALARMS.length).toBeGreaterThan(10);
    for (const alarm of ALARMS) expect(titles).toContain(alarm.split(" | ")[0]);
  });

  it("name only existing events and error codes", async () => {
    const known = new Set([...events, ...Object.keys(ERROR_CATALOGUE), ...(await metricsOfInference())]);
    const named = ALARMS.flatMap((alarm) =>
      [...alarm.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name = ""]) => name),
    );
    expect(named.length).toBeGreaterThan(10);
    for (const name of named) expect(known, name).toContain(name);
  });
});

async function metricsOfInference(): Promise<string[]> {
  const text = await new Metrics().render();
  return [...text.matchAll(/^# TYPE (\w+)/gm)].map((match) => match[1] ?? "");
}

describe("the dashboard of the inference service", () => {
  it.each(graphsOf("inference.json"))(
    "%s: asks only for metrics that the service has",
    async (_title, query) => {
      const named = [...query.matchAll(/\b(inference_[a-z_]+?)(?:_bucket|_count|_sum)?[{[)]/g)];
      expect(named.length).toBeGreaterThan(0);
      for (const [, name] of named) expect(await metricsOfInference()).toContain(name);
    },
  );

  it("groups and selects by labels that these metrics have", () => {
    const labels = new Set(["le"]);
    for (const metric of Object.values(new Metrics())) {
      const { labelNames } = z.object({ labelNames: z.array(z.string()).default([]) }).parse(metric);
      for (const label of labelNames) labels.add(label);
    }
    const used = graphsOf("inference.json").flatMap(([, query]) => [
      ...[...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(", ")),
      ...[...query.matchAll(/[{,](\w+)=/g)].map(([, label = ""]) => label),
    ]);
    expect(used.length).toBeGreaterThan(5);
    for (const label of used) expect(labels).toContain(label);
  });
});
