import { join } from "node:path";
import type { Mark } from "../../shared/marked-processes.ts";
import { type InferenceKind, startInference } from "../start-inference.ts";
import { JOINING } from "./stand-in-model.ts";
import type { OwnService, ServiceOptions } from "../with-stack.ts";

export const STAND_IN: InferenceKind = {
  name: "The inference service with the stand-in model",
  main: join("scripts", "bench", "video", "stand-in-service.ts"),
  modelFolder: "stand-in",
};

/** A stand-in with enough tasks in flight to fill a batch while another is on the device. */
export const JOINING_STAND_IN: InferenceKind = {
  ...STAND_IN,
  modelFolder: JOINING,
  settings: { MAX_BATCH: "4", IN_FLIGHT: "10", QUEUE_CAPACITY: "16" },
};

/** Starts the inference service with the stand-in model. All its processes carry `mark`. */
export function startStandIn(mark: Mark, options: ServiceOptions): Promise<OwnService> {
  return startInference(STAND_IN, mark, options);
}
