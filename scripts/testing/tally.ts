import { z } from "zod";

const Report = z.object({
  success: z.boolean(),
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  testResults: z.array(
    z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) }),
  ),
});

export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Counts a run by vitest's JSON report. A file that failed without a failing test (it could not be loaded) is one failure.
 * So is a run that failed for another reason or left no report.
 */
export function tally(report: string | null, hasPassed: boolean): Tally {
  const parsed = Report.safeParse(report === null ? null : JSON.parse(report));
  if (!parsed.success) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, testResults } = parsed.data;
  const brokenFiles = testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  const failed = numFailedTests + brokenFiles.length;
  return { passed: numPassedTests, failed: failed === 0 && !hasPassed ? 1 : failed };
}
