import { z } from "zod";
import { fromTool } from "../nothing.ts";
import { DrawingContext } from "./context.ts";

const MOST_TASKS = 100;
const MOST_CONFIG_CHARACTERS = 200_000;

/** What Label Studio sends for a prediction. */
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
