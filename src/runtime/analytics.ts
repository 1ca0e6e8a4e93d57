import type { Fields, Level } from "../shared/log.ts";
import { pointOf } from "../shared/metrics.ts";

/**
 * Writes the data points of log lines to Workers Analytics Engine, if the operator has it. No caller waits for a point or fails
 * because of one: the platform takes only 250 per invocation, and the line has been written.
 */
export const metricsWriter =
  (dataset: AnalyticsEngineDataset | undefined) =>
  (level: Level, event: string, fields: Fields): void => {
    const point = pointOf(level, event, fields);
    try {
      if (point !== null) dataset?.writeDataPoint(point);
    } catch {
      // A line about it would be another point.
    }
  };
