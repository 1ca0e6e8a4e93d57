import type { Fields, Level } from "../core/log.ts";
import { pointOf } from "../core/metrics.ts";

/**
 * Writes the data points of the log's lines into Workers Analytics Engine, if the operator has it. Nothing waits for a
 * point, and nothing fails for one: the platform takes only so many per invocation (25), and the line has been written.
 */
export const metricsWriter =
  (dataset: AnalyticsEngineDataset | undefined) =>
  (level: Level, event: string, fields: Fields): void => {
    const point = pointOf(level, event, fields);
    try {
      if (point !== null) dataset?.writeDataPoint(point);
    } catch {
      // A line about it would be a point again.
    }
  };
