import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Mark } from "../shared/marked-processes.ts";
import { type InferenceOptions, startInference as start } from "../stack/services.ts";
import type { OwnService, ServiceOptions } from "./with-stack.ts";

/** An inference service to run as a process: its name in messages, its script, its model's folder, its settings. */
export type InferenceKind = Pick<InferenceOptions, "name" | "main" | "modelFolder" | "settings">;

/** Starts an inference service with default settings, except the required ones and the kind's. Its processes carry `mark`. */
export async function startInference(
  kind: InferenceKind,
  mark: Mark,
  { folder, ...options }: ServiceOptions,
): Promise<Required<OwnService>> {
  const token = randomBytes(24).toString("hex");
  const { child, url } = await start({ ...kind, ...options, mark, token, logs: folder });
  return { child, settings: { INFERENCE_URL: url, INFERENCE_TOKEN: token } };
}

export const STAND_IN: InferenceKind = {
  name: "The inference service with the stand-in model",
  main: join("scripts", "bench", "video", "stand-in-service.ts"),
  modelFolder: "stand-in",
};

/** Starts the inference service with the stand-in model. All its processes carry `mark`. */
export function startStandIn(mark: Mark, options: ServiceOptions): Promise<OwnService> {
  return startInference(STAND_IN, mark, options);
}
