import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure, runCommand } from "./shared/command-line.ts";
import { endMarked, killMarked } from "./shared/marked-processes.ts";
import { ensureModel } from "./stack/model.ts";
import { readIfPresent } from "./stack/private-file.ts";
import { runStep, staticChecks } from "./testing/steps.ts";
import { tally } from "./testing/tally.ts";

/**
 * Everything that has to hold: static checks, then all tests; arguments go to vitest.
 * The last line is `N passed, N failed`: tests, and each failed check as one failure.
 */
async function test(signal: AbortSignal): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "segmentation-tests-"));
  const mark = { SEGMENTATION_TEST_RUN: folder };
  process.on("exit", () => killMarked(mark));
  let failedChecks = 0;
  try {
    for (const step of staticChecks()) {
      if (!(await runStep(step, mark, signal))) failedChecks += 1;
    }
    console.log("\n— model");
    await ensureModel(mark, signal).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      console.log(error.message);
      failedChecks += 1;
    });
    const report = join(folder, "report.json");
    const args = [
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      ...process.argv.slice(2),
    ];
    const hasPassed = await runStep({ name: "tests", tool: "vitest", args }, mark, signal);
    const { passed, failed } = tally(await readIfPresent(report), hasPassed);
    console.log(`\n${passed} passed, ${failed + failedChecks} failed`);
    return failed + failedChecks === 0 ? 0 : 1;
  } finally {
    // A stack that a test started runs in a process group of its own, so Ctrl-C alone would not reach it.
    await endMarked(mark);
    await rm(folder, { recursive: true, force: true });
  }
}

await runCommand(test);
