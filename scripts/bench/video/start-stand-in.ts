import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Mark } from "../../shared/marked-processes.ts";
import { startListeningChild } from "../../stack/listening-child.ts";
import type { OwnService, ServiceOptions } from "../with-stack.ts";

/** Starts the inference service with the stand-in model, it and all that it starts with a mark. */
export async function startStandIn(mark: Mark, options: ServiceOptions): Promise<OwnService> {
  const { origin, folder, onLine, signal } = options;
  const token = randomBytes(24).toString("hex");
  const { child, url } = await startListeningChild(
    {
      name: "The inference service with the stand-in model",
      args: [join("scripts", "bench", "video", "stand-in-service.ts")],
      env: {
        ...process.env,
        ...mark,
        HOST: "127.0.0.1",
        PORT: "0",
        DRAIN_SECONDS: "1",
        INFERENCE_TOKEN: token,
        MODEL_FOLDER: "stand-in",
        STORAGE_ORIGINS: origin,
        CALLBACK_ORIGINS: origin,
      },
      logFile: join(folder, "stand-in.log"),
      onLine,
    },
    signal,
  );
  return { child, settings: { INFERENCE_URL: url, INFERENCE_TOKEN: token } };
}
