import { spawn } from "node:child_process";
import { mkdir, mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { archiveReadersLine } from "../../test/support/zip/archive-readers.ts";
import { pythonLine } from "../../test/support/clients/python.ts";
import { Failure } from "../shared/command-line.ts";
import { endMarked, killMarked, type Mark } from "../shared/marked-processes.ts";
import { PROJECT_ROOT } from "../shared/root.ts";
import { ensureModel } from "../local/stack/model.ts";
import { readIfPresent } from "../shared/state/private-file.ts";
import { endOf, runStaticChecks } from "./steps.ts";
import { tally } from "./tally.ts";

/** The parts of a test run. */
export interface TestRun {
  /** Projects of vitest.config.ts. */
  readonly projects: readonly string[];
  /** Arguments for vitest: patterns of file names, options. */
  readonly args: readonly string[];
  /** True to check types, lint and format in addition to the tests. */
  readonly withChecks: boolean;
  /** True if the tests need the embedded model. */
  readonly withModel: boolean;
  /** True for the long tests: each is named as it ends, and the model runs at each request. */
  readonly isLong?: boolean;
}

/** The output of the tested processes: mostly errors that tests provoke on purpose. */
const LOG = join(PROJECT_ROOT, ".local", "tests.log");

/**
 * Runs tests, returns the exit code, and leaves no process behind. The last line is `N passed, N failed`, where each failed
 * check counts as one failure.
 */
export async function runTests(run: TestRun, signal: AbortSignal): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "segmentation-tests-"));
  const mark = { SEGMENTATION_TEST_RUN: folder };
  process.on("exit", () => killMarked(mark));
  try {
    process.env["SEED"] ??= String(Date.now() % 2 ** 31);
    console.log(`Seed: ${process.env["SEED"]}. ${archiveReadersLine()}${pythonLine()}`);
    const [checks, { model, ...tests }] = await allSettled(
      run.withChecks ? runStaticChecks(mark, signal) : Promise.resolve([]),
      testsWithModel(run, folder, mark, signal),
    );
    const failures = [...model, ...checks];
    if (run.withChecks && checks.length === 0) console.log("Types, lint, format: passed");
    if (failures.length > 0) console.log(`\nOther failures: ${failures.join(", ")}`);
    const failed = tests.failed + failures.length;
    if (tests.failed > 0)
      console.log(`What the tested processes printed is in ${relative(process.cwd(), LOG)}.`);
    console.log(`\n${tests.passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } finally {
    // A stack that a test started has its own process group, so Ctrl-C would not reach it.
    await endMarked(mark);
    await rm(folder, { recursive: true, force: true });
  }
}

async function testsWithModel(run: TestRun, folder: string, mark: Mark, signal: AbortSignal) {
  const model = run.withModel ? await fetchModel(mark, signal) : [];
  return { model, ...(await runVitest(run, folder, mark, signal)) };
}

async function fetchModel(mark: Mark, signal: AbortSignal): Promise<string[]> {
  try {
    await ensureModel(mark, signal);
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.log(error.message);
    return ["model"];
  }
}

async function runVitest(
  { projects, args, withModel, isLong = false }: TestRun,
  folder: string,
  mark: Mark,
  signal: AbortSignal,
): Promise<{ readonly passed: number; readonly failed: number }> {
  const program = join(import.meta.dirname, "vitest.ts");
  const report = join(folder, "report.json");
  const chosen = projects.map((project) => `--project=${project}`);
  await mkdir(dirname(LOG), { recursive: true });
  const log = await open(LOG, "w");
  try {
    const manner = isLong ? "verbose" : process.stdout.isTTY ? "terminal" : "calm";
    const child = spawn(process.execPath, [program, manner, report, ...chosen, ...args], {
      cwd: PROJECT_ROOT,
      env: {
        ...process.env,
        ...mark,
        // Many tests start processes, which would compile the same modules repeatedly.
        NODE_COMPILE_CACHE: join(folder, "compile-cache"),
        ...(process.stdout.isTTY && { FORCE_COLOR: "1" }),
        ...(withModel && !isLong && (await keptRuns(folder))),
      },
      stdio: ["ignore", log.fd, log.fd, "pipe"],
    });
    const shown = child.stdio[3];
    if (shown instanceof Readable) shown.pipe(process.stdout, { end: false });
    const hasPassed = (await endOf(child, signal)) === 0;
    const results = await readIfPresent(report);
    if (results === null) console.log(await readFile(LOG, "utf8"));
    return tally(results, hasPassed);
  } finally {
    await log.close();
  }
}

/** The variables with which a process and its children keep runs of the model: scripts/testing/kept-runs.mjs. */
async function keptRuns(folder: string): Promise<Record<string, string>> {
  const kept = join(folder, "kept-runs");
  await mkdir(kept, { recursive: true });
  const preload = `--import ${pathToFileURL(join(import.meta.dirname, "kept-runs.mjs")).href}`;
  return { KEPT_RUNS: kept, NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} ${preload}`.trim() };
}

/** Waits until both have ended, even if one fails, so that neither outlives the run. */
async function allSettled<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}
