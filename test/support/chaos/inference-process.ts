import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { listeningUrl } from "../../../scripts/shared/child.ts";

/** An inference service as a process that may be killed at any time and is then started again, as a container would be. */
export class InferenceProcess {
  readonly #main: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess;
  #isClosing = false;
  /** Its URL; null while it starts. */
  url: string | null = null;

  /** @param main its script; its log goes to this process's output */
  constructor(main: string, env: NodeJS.ProcessEnv) {
    this.#main = main;
    this.#env = env;
    this.#child = this.#start();
  }

  #start(): ChildProcess {
    const child = spawn(process.execPath, [this.#main], {
      env: { ...process.env, ...this.#env, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    createInterface({ input: child.stdout }).on("line", (line) => {
      const url = listeningUrl(line);
      // The stack takes the first such line of this process for the front's line.
      if (url === null) console.log(line);
      else this.url = url;
    });
    child.once("exit", () => {
      this.url = null;
      if (!this.#isClosing) this.#child = this.#start();
    });
    return child;
  }

  /** Kills (SIGKILL) the service; its engine then ends by itself, and another service starts. */
  killService(): void {
    this.#child.kill("SIGKILL");
  }

  /** Kills (SIGKILL) the service's engines, which it starts again by itself. Does nothing on a system without /proc. */
  killEngines(): void {
    const { pid } = this.#child;
    try {
      const engines = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
      for (const engine of engines.match(/\d+/g) ?? []) process.kill(Number(engine), "SIGKILL");
    } catch {
      // It has just ended, or there is no /proc.
    }
  }

  /** Ends the service for good. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGTERM");
    await ended;
  }
}
