import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROBLEMS } from "@segmentation/protocol";
import { expect, test } from "vitest";
import { Metrics } from "../src/metrics.ts";
import { CONTAINER_ROOT, read } from "./support/manifests.ts";

const guide = readFileSync(join(CONTAINER_ROOT, "../docs/operations/monitoring.md"), "utf8");

test("the operator's guide explains each event that the service logs as a warning or worse", () => {
  const sources = globSync("src/**/*.ts", { cwd: CONTAINER_ROOT }).map(read).join("\n");
  const logged = sources.matchAll(/log\.(?:warn|error|fatal)\([^;]*?"([a-z]+_[a-z_]+)"\s*\)/g);
  const events = new Set([...logged].map((match) => match[1]));
  for (const known of ["engine_ended", "task_unreported", "start_failed", "ffmpeg_missing"]) {
    expect(events).toContain(known);
  }
  for (const event of [...events, "origin_not_allowed", "settings_wrong", "engine_error"]) {
    expect(guide, event).toContain(`\`${event}\``);
  }
});

test("the guide and the autoscaling watch only existing metrics", async () => {
  const text = await new Metrics().render();
  const metrics = [...text.matchAll(/^# TYPE (\w+)/gm)].map((match) => match[1]);
  expect(metrics).toContain("inference_tasks_total");
  for (const watching of [guide, read("kubernetes/autoscaling/scaled-object.yaml")]) {
    const named = [...watching.matchAll(/\b(inference_[a-z_]+?)(?:_bucket|_count|_sum)?[{[]/g)];
    expect(named.length).toBeGreaterThan(1);
    for (const [, name] of named) expect(metrics).toContain(name);
  }
});

test("the alerts name only existing outcomes and codes", () => {
  const codes = Object.keys(PROBLEMS);
  const [, pattern = ""] = /code=~"([^"]+)"/.exec(guide) ?? [];
  // A table cell escapes its bars.
  for (const part of pattern.replaceAll("\\", "").split("|")) {
    expect(
      codes.filter((code) => new RegExp(`^(?:${part})$`).test(code)),
      part,
    ).not.toEqual([]);
  }
  for (const outcome of ["unreported", "dropped"]) {
    expect(guide).toContain(`outcome="${outcome}"`);
    expect(read("src/tasks/run-task.ts")).toContain(`"${outcome}"`);
  }
});
