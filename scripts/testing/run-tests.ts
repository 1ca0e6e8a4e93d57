import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { archiveReadersLine } from "../../test/support/node/archive-readers.ts";
import { Failure } from "../shared/command-line.ts";
import { endMarked, killMarked, type Mark } from "../shared/marked-processes.ts";
import { ensureModel } from "../stack/model.ts";
import { readIfPresent } from "../stack/private-file.ts";
import { runStaticChecks, runStep } from "./steps.ts";
import { tally } from "./tally.ts";

/** What a test run consists of. */
export interface TestRun {
  /** Projects of vitest.config.ts. */
  readonly projects: readonly string[];
  /** Arguments for vitest: patterns of file names, options. */
  readonly args: readonly string[];
  /** Whether types, lint and format are checked beside the tests. */
  readonly withChecks: boolean;
  /** Whether the tests need the embedded model. */
  readonly withModel: boolean;
}

/**
 * Runs tests, returns the exit code, and leaves no process behind. The last line is `N passed, N failed`, where each failed
 * check counts as one failure.
 */
export async function runTests(run: TestRun, signal: AbortSignal): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "segmentation-tests-"));
  const mark = { SEGMENTATION_TEST_RUN: folder };
  process.on("exit", () => killMarked(mark));
  try {
    console.log(archiveReadersLine());
    const failures = run.withModel ? await fetchModel(mark, signal) : [];
    const [checks, tests] = await allSettled(
      run.withChecks ? runStaticChecks(mark, signal) : Promise.resolve([]),
      runVitest(run, join(folder, "report.json"), mark, signal),
    );
    failures.push(...checks);
    if (failures.length > 0) console.log(`\nFailed beside the tests: ${failures.join(", ")}`);
    const failed = tests.failed + failures.length;
    console.log(`\n${tests.passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } finally {
    // A stack that a test started has its own process group, so Ctrl-C would not reach it.
    await endMarked(mark);
    await rm(folder, { recursive: true, force: true });
  }
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
  { projects, args }: TestRun,
  report: string,
  mark: Mark,
  signal: AbortSignal,
): Promise<{ readonly passed: number; readonly failed: number }> {
  const options = [
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...projects.map((project) => `--project=${project}`),
  ];
  const step = { name: "tests", tool: "vitest", args: [...options, ...args] };
  const { hasPassed } = await runStep(step, "shown", mark, signal);
  return tally(await readIfPresent(report), hasPassed);
}

/** Waits until both have ended, even if one fails, so that neither outlives the run. */
async function allSettled<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}
