import { Console } from "node:console";
import type { Writable } from "node:stream";
import type { SerializedError } from "vitest";
import {
  DefaultReporter,
  type TestCase,
  type TestModule,
  type TestRunEndReason,
  type Vitest,
} from "vitest/node";

/** The style of progress: a line that a terminal redraws, a line now and then, or a line for each test that ends. */
export const MANNERS = ["terminal", "calm", "verbose"] as const;

const INTERVAL_MS = { terminal: 500, calm: 30_000, verbose: 60_000 };
const WIDTH = 100;
const SLOWEST = 40;

const secondsOf = (module: TestModule): number => Math.round(module.diagnostic().duration / 1_000);

/** Writes the slowest files into the log of the run, in seconds. */
function logSlowest(modules: readonly TestModule[]): void {
  for (const module of modules.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, SLOWEST))
    console.log(
      `${String(secondsOf(module)).padStart(4)} s  ${module.project.name}  ${module.relativeModuleId}`,
    );
}

/**
 * Prints the progress of the tests, and a failure's name as it happens. Ends with each failure in full and the command that
 * repeats its file. Prints nothing about passed tests. `out` is separate from the runner's output, where its workers print, too.
 */
export class CalmReporter extends DefaultReporter {
  readonly #out: Writable;
  readonly #manner: (typeof MANNERS)[number];
  readonly #begun = performance.now();
  readonly #running = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #passed = 0;
  #failed = 0;

  constructor(out: Writable, manner: (typeof MANNERS)[number]) {
    super({ isTTY: false, summary: false });
    this.#out = out;
    this.#manner = manner;
  }

  override onInit(ctx: Vitest): void {
    const out = this.#out;
    const shown = new Console({ stdout: out, stderr: out });
    const logger: unknown = Object.create(ctx.logger, {
      console: { value: shown },
      outputStream: { value: out },
      errorStream: { value: out },
    });
    this.ctx = Object.create(ctx, { logger: { value: logger } });
    this.silent = "passed-only";
    this.#timer = setInterval(() => this.#showProgress(), INTERVAL_MS[this.#manner]).unref();
  }

  onTestModuleStart(module: TestModule): void {
    this.#running.add(module.relativeModuleId);
  }

  override onTestCaseResult(test: TestCase): void {
    const { state } = test.result();
    if (state === "passed") this.#passed += 1;
    if (state === "failed") this.#failed += 1;
    if (state === "failed" || (state === "passed" && this.#manner === "verbose")) {
      const ms = Math.round(test.diagnostic()?.duration ?? 0);
      this.#line(`${state}: ${test.module.relativeModuleId} > ${test.fullName} (${ms} ms)`);
    }
    super.onTestCaseResult(test);
  }

  override onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module.relativeModuleId);
    super.onTestModuleEnd(module);
  }

  protected override printTestModule(): void {
    // The line of progress is enough.
  }

  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    clearInterval(this.#timer);
    this.#line(this.#progress());
    super.onTestRunEnd(modules, errors, reason);
    logSlowest(modules);
    const failed = modules.filter((module) => !module.ok());
    if (failed.length === 0) return;
    this.#line("To repeat what failed:");
    const seed = process.env["SEED"] ?? "";
    for (const { project, relativeModuleId } of failed)
      this.#line(`  SEED=${seed} npx vitest run --project ${project.name} ${relativeModuleId}`);
  }

  #progress(): string {
    const seconds = Math.round((performance.now() - this.#begun) / 1_000);
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    return `${time}  ${this.#passed} passed, ${this.#failed} failed  ${[...this.#running].slice(-2).join(", ")}`.trimEnd();
  }

  #showProgress(): void {
    if (this.#manner === "terminal") this.#out.write(`\r\u001B[K${this.#progress().slice(0, WIDTH)}`);
    else this.#line(this.#progress());
  }

  #line(text: string): void {
    this.#out.write(`${this.#manner === "terminal" ? "\r\u001B[K" : ""}${text}\n`);
  }
}
