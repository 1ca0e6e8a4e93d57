import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Failure } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";
import type { Provider } from "../../inference-container/src/device/messages.ts";
import { Report } from "./report.ts";

/**
 * Loads a folder in a separate process, so that the measured memory is the model's, and a crash of the runtime affects only that
 * process. An abort kills that process; it leaves nothing on disk.
 * @param cpuNodes true if nodes may run on the CPU with another provider
 * @throws Failure if the process ended without a report
 */
export async function checkModel(
  { folder, provider, cpuNodes }: { folder: string; provider: Provider; cpuNodes: boolean },
  signal: AbortSignal,
): Promise<Report> {
  signal.throwIfAborted();
  const script = join(PROJECT_ROOT, "scripts", "models", "measure-child.ts");
  // ONNX Runtime's output must not mix with the report on standard output.
  const child = fork(script, [folder, provider, ...(cpuNodes ? ["cpu-nodes"] : [])], {
    stdio: ["ignore", 2, 2, "ipc"],
  });
  const end = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", end, { once: true });
  let sent: unknown;
  child.on("message", (message) => {
    sent = message;
  });
  const [[code, killedBy]] = await Promise.all([once(child, "exit"), once(child, "disconnect")]);
  signal.removeEventListener("abort", end);
  signal.throwIfAborted();
  const report = Report.safeParse(sent);
  if (report.success) return report.data;
  throw new Failure(
    `The process that loaded ${folder} ended with ${killedBy ?? `exit code ${code}`} and no report. It may have run out of memory.`,
  );
}
