import { z } from "zod";
import type { LargeBody } from "../../http/large-body.ts";
import { fromTool } from "../nothing.ts";
import { DrawingContext } from "./context.ts";

/**
 * Reads only the data: Label Studio sends its tasks with all their annotations, in which a brush is tens of thousands of numbers.
 */
export const BODY: LargeBody = {
  mostBytes: 10_000_000,
  mostKept: 1_048_576,
  isSetAside: (path) => path.length === 3 && path[0] === "tasks" && path[2] !== "data",
};

const MOST_TASKS = 100;
const MOST_CONFIG_CHARACTERS = 200_000;

/** The request that Label Studio sends for a prediction. */
export const PredictRequest = fromTool(
  z.object({
    tasks: z
      .array(z.object({ data: z.record(z.string(), z.unknown()).default({}) }))
      .min(1)
      .max(MOST_TASKS),
    label_config: z.string().max(MOST_CONFIG_CHARACTERS),
    params: z.object({ context: DrawingContext.optional() }).optional(),
  }),
);
export type PredictRequest = z.infer<typeof PredictRequest>;
