import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { killGroup } from "../kill-group.ts";
import { type EngineConfig, FromEngine, type ToEngine } from "../messages.ts";

const CHILD = fileURLToPath(new URL("../engine/child.ts", import.meta.url));
const FONT_CONFIG = fileURLToPath(new URL("../preview/fonts.conf", import.meta.url));
const CLOSE_MS = 2_000;
/**
 * Settings for glibc. By default it keeps freed blocks of up to 32 MB, such as a picture's features, in up to eight
 * arenas per core. The holes between them add up over hours. With these, blocks above a megabyte go back to the system.
 */
const MALLOC = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "1048576",
  MALLOC_TRIM_THRESHOLD_: "1048576",
};

/**
 * Threads of libuv, which decode pictures and write files: one per core. The default of four would leave a large
 * machine's cores idle. libuv reads it when a process starts.
 */
const POOL = { UV_THREADPOOL_SIZE: String(Math.max(4, availableParallelism())) };

/** One life of the engine process. */
export class EngineProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<string>;

  constructor(
    config: EngineConfig,
    on: { message: (message: FromEngine) => void; exit: (how: string) => void },
  ) {
    // Only the parent logs to stdout: the output of native code goes to stderr.
    this.#child = fork(CHILD, [JSON.stringify(config)], {
      execArgv: [],
      env: { ...MALLOC, ...POOL, ...process.env, FONTCONFIG_FILE: FONT_CONFIG, INFERENCE_TOKEN: "" },
      stdio: ["ignore", 2, 2, "ipc"],
      // A separate process group: killing the engine kills its child processes too.
      detached: true,
    });
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#exited = promise;
    this.#child.on("message", (raw) => {
      const message = FromEngine.safeParse(raw);
      // An engine that breaks the protocol counts as crashed.
      if (message.success) on.message(message.data);
      else this.kill();
    });
    this.#child.once("exit", (code, signal) => {
      if (this.pid !== undefined) killGroup(this.pid);
      resolve(signal ?? `exit code ${String(code)}`);
    });
    this.#child.on("error", (error) => {
      if (this.pid === undefined) resolve(error.message);
    });
    void this.#exited.then(on.exit);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(message: ToEngine): void {
    // If the process has just died, its exit reports that, not this call.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  kill(): void {
    if (this.pid !== undefined) killGroup(this.pid);
  }

  /** Releases the model, then ends the process; kills it if that takes too long. */
  async close(): Promise<void> {
    this.send({ type: "close" });
    const force = setTimeout(() => this.kill(), CLOSE_MS);
    await this.#exited;
    clearTimeout(force);
  }
}
