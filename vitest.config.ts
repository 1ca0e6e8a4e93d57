import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { disableTelemetry } from "./inference-container/src/onnx/telemetry.ts";
import { withLongForm } from "./test/support/process/long-form.ts";
import { memoryFolder } from "./test/support/process/memory-folder.ts";
import { type GroupOrder, workerProject } from "./test/support/runtime/worker-project.ts";

/** The seed of every random test in this run; `SEED=… npm test` repeats a run. */
process.env["SEED"] ??= String(Date.now() % 2 ** 31);
console.log(`SEED=${process.env["SEED"]}`);

// As the programs do; set before any test, because a test must not change its process.
disableTelemetry();

const memory = process.env["TMPDIR"] === undefined ? memoryFolder() : null;
if (memory !== null) process.env["TMPDIR"] = memory;

/** A limit that only a hanging test exceeds, even on a busy machine. */
const HANG_MS = 300_000;

/**
 * The tests of many databases, in one process: each runtime costs as much to start as most of its files. The static checks have
 * the other processor meanwhile.
 */
const FIRST: GroupOrder = { maxWorkers: 1, sequence: { groupOrder: 0 } };
const THEN: GroupOrder = { sequence: { groupOrder: 1 } };

/** Tests that wait for other processes most of the time: a stack, a service, a browser. */
const WAITING: GroupOrder = { maxWorkers: Math.max(4, availableParallelism()), sequence: { groupOrder: 2 } };

const WORKER = "test/worker/**/*.test.ts";

/** Node imports the tests as it does the programs, without Vite in between. */
const BY_NODE = { viteModuleRunner: false, nodeLoader: false };

/**
 * A project of tests on Node. Files share processes: one for each would take longer than most files.
 * @param options `byVite`: a test has files that Node can't import: JSX, a package's TypeScript; `order`: its position in the run
 */
const nodeProject = (
  name: string,
  include: readonly string[],
  { byVite = false, order = THEN } = {},
): TestProjectConfiguration => ({
  test: {
    name,
    include: [...include],
    ...order,
    setupFiles: ["test/support/process/setup.ts"],
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    expect: { poll: { timeout: HANG_MS / 2 } },
    isolate: false,
    ...(!byVite && { experimental: BY_NODE }),
  },
});

export default defineConfig({
  test: {
    silent: "passed-only",
    // A summary that is redrawn continuously would overwrite the tests' own output.
    reporters: [["default", { summary: false }]],
    // Files wait for other processes now and then, so two cores carry three.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects: [
      workerProject("worker", [WORKER], "short", THEN),
      workerProject("databases", ["test/databases/**/*.test.ts"], "short", FIRST, 16),
      workerProject(
        "long-worker",
        ["test/long/worker/**/*.test.ts", ...withLongForm([WORKER])],
        "long",
        THEN,
      ),
      nodeProject("unit", ["test/unit/**/*.test.ts", "{evaluation,masks,protocol}/test/**/*.test.ts"]),
      nodeProject("client", ["client/test/{*.test.ts,!(cli|long)/**/*.test.ts}"], { byVite: true }),
      nodeProject("cli", ["client/test/cli/*.test.ts"]),
      nodeProject("studio", ["studio/test/{browser,unit}/**/*.test.ts"], { byVite: true }),
      nodeProject(
        "inference",
        ["inference-container/test/{*.test.ts,!(long|models|reference)/**/*.test.ts}"],
        { order: WAITING },
      ),
      // A process that has had models in its memory takes 60 ms per gigabyte to start another, and the others start hundreds.
      nodeProject("models", ["inference-container/test/{models,reference}/**/*.test.ts"]),
      {
        test: {
          name: "e2e",
          ...WAITING,
          include: ["{test,studio/test}/e2e/**/*.test.ts"],
          setupFiles: ["test/support/process/setup.ts"],
          testTimeout: 2 * HANG_MS,
          hookTimeout: 2 * HANG_MS,
          expect: { poll: { timeout: HANG_MS } },
          globalSetup: ["test/support/stack/shared-stack-server.ts"],
          isolate: false,
          experimental: BY_NODE,
        },
      },
      {
        test: {
          name: "long",
          ...THEN,
          include: ["{test,*/test}/long/**/*.test.ts", ...withLongForm(["{test,*/test}/**/*.test.ts"])],
          exclude: ["test/{long/,}worker/**"],
          setupFiles: ["test/support/process/setup.ts"],
          env: { FORM: "long" },
          globalSetup: ["test/support/stack/shared-stack-server.ts"],
          expect: { poll: { timeout: HANG_MS } },
          testTimeout: 3_600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
