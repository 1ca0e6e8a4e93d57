import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { table, withTables } from "../marked-tables.ts";
import { PROJECT_ROOT } from "../../shared/root.ts";
import { ANALYTICS_ENGINE, dashboardOf, PROMETHEUS } from "./grafana.ts";
import { INFERENCE_ROWS } from "./inference-rows.ts";
import { WORKER_ROWS } from "./worker-rows.ts";

const docs = (...path: string[]): string => join(PROJECT_ROOT, "docs", ...path);
const GUIDE = docs("operations", "monitoring.md");

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** The operator's table of alarms. */
const ALARMS = table(
  ["graph", "alarm", "meaning", "what to do"],
  WORKER_ROWS.flatMap(({ panels }) =>
    panels.flatMap(({ title, alarm }) =>
      alarm === undefined ? [] : [[title, alarm.when, alarm.means, alarm.todo]],
    ),
  ),
);

/** The files that `npm run dashboards` writes: each file's text by its path. */
export async function dashboardFiles(): Promise<ReadonlyMap<string, string>> {
  const guide = await readFile(GUIDE, "utf8");
  return new Map([
    [
      docs("grafana", "worker.json"),
      json(dashboardOf("segmentation-worker", "Segmentation: the service", ANALYTICS_ENGINE, WORKER_ROWS)),
    ],
    [
      docs("grafana", "inference.json"),
      json(dashboardOf("segmentation-inference", "Segmentation: inference", PROMETHEUS, INFERENCE_ROWS)),
    ],
    [GUIDE, withTables(guide, new Map([["alarms", ALARMS]]))],
  ]);
}
