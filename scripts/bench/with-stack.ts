import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiClient, createClient } from "../shared/api-client.ts";
import type { Mark } from "../shared/marked-processes.ts";
import { claimPort } from "../shared/port.ts";
import { startStack } from "../local/stack/start-stack.ts";
import { type StackAddress, stackMark, stateFolder } from "../shared/state/state-folder.ts";
import { startInference, FAKE } from "./start-inference.ts";
import { collectTimes, type TaskLog } from "./task-times.ts";

/** The whole service on this machine, for one measurement. */
export interface BenchStack {
  readonly client: ApiClient;
  readonly address: StackAddress;
  readonly timesOf: TaskLog["timesOf"];
  /** The mark of the stack's processes. */
  readonly mark: Mark;
  /** A temporary folder for the measurement, deleted after it. */
  readonly folder: string;
}

/**
 * Starts the whole service, calls `use`, and cleans up. Rejects with a `Failure` if a part of the service ends meanwhile.
 *
 * @param fake serves the simulated model instead of the stack's; its processes carry this mark
 */
export async function withStack<T>(
  signal: AbortSignal,
  use: (stack: BenchStack) => Promise<T>,
  fake?: Mark,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  const { onLine, timesOf } = collectTimes();
  const stateDir = join(folder, "state");
  let service: Awaited<ReturnType<typeof startInference>> | undefined;
  try {
    const port = await claimPort(0);
    const origin = `http://127.0.0.1:${port}`;
    if (fake !== undefined) service = await startInference(FAKE, fake, { origin, folder, onLine, signal });
    const stack = await startStack({
      port,
      stateDir,
      ...(service && { settings: service.settings }),
      onProgress: (sentence) => console.error(sentence),
      onLine: (part, line) => (part === "inference" ? onLine(line) : undefined),
      signal,
    });
    try {
      const child = service?.child;
      const ended = child?.ended.then((why) => child.failure(`ended unexpectedly (${why})`));
      const crash = Promise.race([stack.crashed, ...(ended ? [ended] : [])]);
      const client = createClient({ ...stack, signal });
      const used = use({ client, address: stack, timesOf, mark: stackMark(stateFolder(stateDir)), folder });
      return await Promise.race([used, crash.then((failure) => Promise.reject(failure))]);
    } finally {
      await stack.stop();
    }
  } finally {
    await service?.child.stop(2_000);
    await rm(folder, { recursive: true, force: true });
  }
}
