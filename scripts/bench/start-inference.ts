import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Mark } from "../shared/marked-processes.ts";
import type { Child } from "../shared/child.ts";
import { type InferenceOptions, startInference as start } from "../local/stack/services.ts";

/** An inference service to run as a process: its name in messages, its script, its model's folder. */
export type InferenceKind = Pick<InferenceOptions, "name" | "main" | "modelFolder">;

/** The Worker's origin, the folder for the log, the receiver of its lines, and the signal that aborts the start. */
interface Surroundings extends Pick<InferenceOptions, "origin" | "onLine" | "signal"> {
  readonly folder: string;
}

/**
 * Starts an inference service with default settings, except the required ones and the kind's. Its processes carry `mark`. Returns
 * the Worker's settings for it, too.
 */
export async function startInference(
  kind: InferenceKind,
  mark: Mark,
  { folder, ...options }: Surroundings,
): Promise<{ readonly child: Child; readonly settings: Readonly<Record<string, string>> }> {
  const token = randomBytes(24).toString("hex");
  const { child, url } = await start({ ...kind, ...options, mark, token, logs: folder });
  return { child, settings: { INFERENCE_URL: url, INFERENCE_TOKEN: token } };
}

export const FAKE: InferenceKind = {
  name: "The inference service with the fake model",
  main: join("scripts", "bench", "video", "fake-service.ts"),
  modelFolder: "fake",
};

export const GPU_FAKE: InferenceKind = {
  name: "The inference service with the fake for a GPU",
  main: join("scripts", "bench", "service", "gpu", "fake-service.ts"),
  modelFolder: "fake",
};
