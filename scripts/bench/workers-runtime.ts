import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";
import { QUIET_WRANGLER } from "../stack/wrangler.ts";

const START_PATIENCE_MS = 60_000;
/** The local runtime would compress what a client accepts compressed, and that would be measured too. */
const PLAIN = { "accept-encoding": "identity", connection: "close" };

/** A Worker of `scripts/bench/workers/` in the local Workers runtime. */
export interface BenchWorker {
  /** Sends a command and returns the answer. @throws if the Worker fails */
  readonly call: (command: string, parameters?: object) => Promise<unknown>;
  readonly fetch: (path: string) => Promise<Response>;
  /** Where it answers: for requests that `fetch` cannot make. */
  readonly origin: URL;
}

/** Starts a Worker of `scripts/bench/workers/` with storage in a temporary folder, calls `use`, and cleans up. */
export async function withWorker<T>(
  name: string,
  signal: AbortSignal,
  use: (worker: BenchWorker) => Promise<T>,
): Promise<T> {
  Object.assign(process.env, QUIET_WRANGLER);
  const { unstable_startWorker: start } = await import("wrangler");
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  const dev = await start({
    config: join(PROJECT_ROOT, "scripts", "bench", "workers", `${name}.toml`),
    dev: {
      server: { hostname: "127.0.0.1", port: 0 },
      inspector: false,
      watch: false,
      persist: folder,
      logLevel: "warn",
    },
  });
  try {
    // Past Wrangler's own proxy, which is a runtime too and would count.
    const runtime = new Promise<URL>((resolve) => {
      dev.raw.on("reloadComplete", ({ proxyData: { userWorkerUrl } }) =>
        resolve(new URL(`http://${userWorkerUrl.hostname}:${userWorkerUrl.port}`)),
      );
    });
    const failed = new Promise<never>((_, reject) => {
      AbortSignal.any([signal, AbortSignal.timeout(START_PATIENCE_MS)]).addEventListener("abort", () =>
        reject(signal.reason ?? new Failure(`The Worker ${name} did not start within a minute.`)),
      );
    });
    const origin = await Promise.race([runtime, failed]);
    const get = async (path: string, init: RequestInit = {}): Promise<Response> => {
      const answer = await fetch(new URL(path, origin), { ...init, headers: PLAIN, signal });
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
      return answer;
    };
    return await use({
      origin,
      fetch: get,
      call: async (command, parameters = {}) =>
        (await get(`/${command}`, { method: "POST", body: JSON.stringify(parameters) })).json(),
    });
  } finally {
    await dev.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The statements of all migrations, in their order. */
export async function migrationStatements(): Promise<string[]> {
  const { unstable_splitSqlQuery: splitSql } = await import("wrangler");
  const folder = join(PROJECT_ROOT, "migrations");
  const files = (await readdir(folder)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return texts.flatMap((text) => splitSql(text));
}
