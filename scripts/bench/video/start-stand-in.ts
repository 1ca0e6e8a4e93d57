import { join } from "node:path";
import type { Mark } from "../../shared/marked-processes.ts";
import { type InferenceKind, startInference } from "../start-inference.ts";
import type { OwnService, ServiceOptions } from "../with-stack.ts";

export const STAND_IN: InferenceKind = {
  name: "The inference service with the stand-in model",
  main: join("scripts", "bench", "video", "stand-in-service.ts"),
  modelFolder: "stand-in",
};

/** Starts the inference service with the stand-in model. All its processes carry `mark`. */
export function startStandIn(mark: Mark, options: ServiceOptions): Promise<OwnService> {
  return startInference(STAND_IN, mark, options);
}
