import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { build } from "esbuild";
import { peakIn } from "../../../scripts/shared/processes.ts";
import { resetMostMemory } from "./worker-memory.ts";

/** Cloudflare's limit for an isolate. */
const HEAP_MB = 128;
const ENTRY = "test/support/worker/runtime/small-heap.ts";

/** The runtime's program: its package has no types. */
const { default: WORKERD }: { readonly default: string } = createRequire(import.meta.url)("workerd");

const configOf = (port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = ["--max-heap-size=${HEAP_MB}"],
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "main", esModule = embed "main.js")],
  compatibilityDate = "2026-08-01",
  compatibilityFlags = ["enable_request_signal"],
);
`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** Returns the processor time of a process, user and system, from the hundredths of a second in proc_pid_stat(5). */
function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The most memory that a process has taken since its last reset, in bytes. */
const mostMemoryOf = (pid: number): number => peakIn(readFileSync(`/proc/${pid}/status`, "utf8"));

/** The Worker's body readers on the Workers runtime, with a heap as large as on Cloudflare. */
export interface SmallHeap extends AsyncDisposable {
  readonly url: string;
  /** True while the runtime runs. */
  readonly isAlive: () => boolean;
  /** Its processor time so far, in seconds. Linux only. */
  readonly cpuSeconds: () => number;
  /** Runs `act`, and returns its peak of additional memory, in bytes. Linux only. */
  readonly growthDuring: (act: () => Promise<void>) => Promise<number>;
}

export async function startSmallHeap(): Promise<SmallHeap> {
  const folder = mkdtempSync(join(tmpdir(), "small-heap-"));
  await build({
    entryPoints: [ENTRY],
    outfile: join(folder, "main.js"),
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker"],
    external: ["cloudflare:*", "node:*"],
    logLevel: "error",
  });
  const port = await freePort();
  writeFileSync(join(folder, "config.capnp"), configOf(port));
  const runtime = spawn(WORKERD, ["serve", join(folder, "config.capnp")], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const url = `http://127.0.0.1:${port}`;
  const isAlive = (): boolean => runtime.exitCode === null && runtime.signalCode === null;
  const isUp = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  while (isAlive() && !(await isUp())) await pause(50);
  return {
    url,
    isAlive,
    cpuSeconds: () => cpuSecondsOf(runtime.pid ?? 0),
    growthDuring: async (act) => {
      const pid = runtime.pid ?? 0;
      resetMostMemory(pid);
      const before = mostMemoryOf(pid);
      await act();
      return mostMemoryOf(pid) - before;
    },
    [Symbol.asyncDispose]: async () => {
      if (isAlive()) {
        runtime.kill("SIGKILL");
        await once(runtime, "exit");
      }
      rmSync(folder, { recursive: true });
    },
  };
}
