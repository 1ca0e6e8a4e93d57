import { writeFile } from "node:fs/promises";
import { dashboardFiles } from "./dashboards/files.ts";

/** Writes the dashboards of docs/grafana and the operator's table of alarms; a test compares them. */
for (const [path, text] of await dashboardFiles()) await writeFile(path, text);
