import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Mark } from "../shared/marked-processes.ts";
import { startListeningChild } from "../stack/listening-child.ts";
import type { OwnService, ServiceOptions } from "./with-stack.ts";

/** The inference service as a process: what it is called, its script, its model's folder. */
export interface InferenceKind {
  readonly name: string;
  /** From the project's root. */
  readonly main: string;
  readonly modelFolder: string;
  /** Settings that are not as they are by default. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts an inference service with all settings but the necessary and the kind's as they are by default, its processes with a mark. */
export async function startInference(
  { name, main, modelFolder, settings }: InferenceKind,
  mark: Mark,
  { origin, folder, onLine, signal }: ServiceOptions,
): Promise<OwnService> {
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
