import { onTestFinished, vi } from "vitest";
import { Graph } from "../../../src/models/graph.ts";

/** Counts the runs of each graph from now on, and again after each reading, by its file. */
export function countRuns(): () => Record<string, number> {
  const spies = [vi.spyOn(Graph.prototype, "run"), vi.spyOn(Graph.prototype, "hold")];
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  return () => {
    const graphs = spies.flatMap((spy): unknown[] => spy.mock.contexts);
    const files = graphs.map((graph) => (graph instanceof Graph ? graph.file : ""));
    for (const spy of spies) spy.mockClear();
    return Object.fromEntries(
      [...Map.groupBy(files, (file) => file)].map(([file, { length }]) => [file, length]),
    );
  };
}
