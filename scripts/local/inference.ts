import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { readArguments, runCommand } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";
import { ensureModel } from "./stack/model.ts";

const HELP = `Runs the inference service for \`npx wrangler dev\` until Ctrl-C. \`npm start\` runs one by itself.

  npm run inference
  WORKER_URL=http://127.0.0.1:8790 npm run inference    for a Worker at another address than http://127.0.0.1:8787
`;

await runCommand(async (signal) => {
  if (readArguments("run inference", process.argv.slice(2), {}, false).values.help === true) {
    console.log(HELP);
    return 0;
  }
  const { INFERENCE_TOKEN } = parseEnv(await readFile(join(PROJECT_ROOT, ".env"), "utf8"));
  const origin = process.env["WORKER_URL"] ?? "http://127.0.0.1:8787";
  const service = spawn(process.execPath, [join(PROJECT_ROOT, "inference-container", "src", "main.ts")], {
    cwd: PROJECT_ROOT,
    env: {
      INFERENCE_TOKEN,
      STORAGE_ORIGINS: origin,
      CALLBACK_ORIGINS: origin,
      DRAIN_SECONDS: "1",
      ...process.env,
      MODEL_FOLDER: await ensureModel({}, signal),
    },
    stdio: "inherit",
  });
  signal.addEventListener("abort", () => service.kill("SIGTERM"), { once: true });
  const [code] = await once(service, "exit");
  return Number(code ?? 1);
});
