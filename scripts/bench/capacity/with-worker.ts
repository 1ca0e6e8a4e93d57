import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../../shared/command-line.ts";
import type { Mark } from "../../shared/marked-processes.ts";
import { PROJECT_ROOT } from "../../shared/root.ts";
import { QUIET_WRANGLER } from "../../shared/cloudflare/wrangler.ts";

/** The Worker of `scripts/bench/workers`, in the local Workers runtime. */
export interface BenchWorker {
  /** Sends a command and returns the answer. @throws if the Worker fails */
  readonly call: (command: object) => Promise<unknown>;
  readonly origin: URL;
  /** The mark of the runtime's processes. */
  readonly mark: Mark;
}

type Bindings = Parameters<(typeof import("wrangler"))["unstable_startWorker"]>[0]["bindings"];

const WORKERS = join(PROJECT_ROOT, "scripts", "bench", "workers");
const START_PATIENCE_MS = 60_000;

/**
 * Starts the Worker with storage in a temporary folder, calls `use`, and cleans up.
 * @param bindings in addition to those of `bench.toml`
 * @param main the Worker's file
 */
export async function withWorker<T>(
  signal: AbortSignal,
  bindings: Bindings,
  use: (worker: BenchWorker) => Promise<T>,
  main = "capacity.ts",
): Promise<T> {
  // The runtime prints a line for each batch of a queue otherwise.
  const mark = { BENCH_WORKER: randomUUID() };
  Object.assign(process.env, mark, QUIET_WRANGLER, { WRANGLER_LOG: "warn" });
  const { unstable_startWorker: start } = await import("wrangler");
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  // At an interrupt, the runtime ends this process by itself, and writes until then.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const dev = await start({
    config: join(WORKERS, "bench.toml"),
    entrypoint: join(WORKERS, main),
    bindings,
    dev: {
      server: { hostname: "127.0.0.1", port: 0 },
      inspector: false,
      watch: false,
      persist: folder,
      logLevel: "warn",
    },
  });
  try {
    // Bypasses Wrangler's proxy, which is also a runtime and would count.
    const runtime = new Promise<URL>((resolve) => {
      dev.raw.on("reloadComplete", ({ proxyData: { userWorkerUrl } }) =>
        resolve(new URL(`http://${userWorkerUrl.hostname}:${userWorkerUrl.port}`)),
      );
    });
    const failed = new Promise<never>((_, reject) => {
      AbortSignal.any([signal, AbortSignal.timeout(START_PATIENCE_MS)]).addEventListener("abort", () =>
        reject(signal.reason ?? new Failure("The Worker did not start within a minute.")),
      );
    });
    const origin = await Promise.race([runtime, failed]);
    const call = async (command: object): Promise<unknown> => {
      const headers = { connection: "close" };
      const answer = await fetch(origin, { method: "POST", body: JSON.stringify(command), headers, signal });
      if (!answer.ok) throw new Error(`The Worker answered ${answer.status}: ${await answer.text()}`);
      return answer.json();
    };
    return await use({ origin, call, mark });
  } finally {
    await dev.dispose();
  }
}

/** The statements of all migrations, in their order. */
export async function migrationStatements(): Promise<string[]> {
  const { unstable_splitSqlQuery: splitSql } = await import("wrangler");
  const folder = join(PROJECT_ROOT, "migrations");
  const files = (await readdir(folder)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return texts.flatMap((statements) => splitSql(statements));
}
