import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Mark } from "../shared/marked-processes.ts";
import { startListeningChild } from "../stack/child.ts";
import type { OwnService, ServiceOptions } from "./with-stack.ts";

/** An inference service to run as a process: its name in messages, its script, its model's folder. */
export interface InferenceKind {
  readonly name: string;
  /** The script's path from the project's root. */
  readonly main: string;
  readonly modelFolder: string;
  /** Settings that differ from the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts an inference service with default settings, except the required ones and the kind's. Its processes carry `mark`. */
export async function startInference(
  { name, main, modelFolder, settings }: InferenceKind,
  mark: Mark,
  { origin, folder, onLine, signal }: ServiceOptions,
): Promise<Required<OwnService>> {
  const token = randomBytes(24).toString("hex");
  const { child, url } = await startListeningChild(
    {
      name,
      args: [main],
      env: {
        ...process.env,
        ...mark,
        HOST: "127.0.0.1",
        PORT: "0",
        DRAIN_SECONDS: "1",
        INFERENCE_TOKEN: token,
        MODEL_FOLDER: modelFolder,
        STORAGE_ORIGINS: origin,
        CALLBACK_ORIGINS: origin,
        ...settings,
      },
      logFile: join(folder, "inference.log"),
      onLine,
    },
    signal,
  );
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
