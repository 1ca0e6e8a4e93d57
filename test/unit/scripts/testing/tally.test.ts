import { describe, expect, it } from "vitest";
import { tally } from "../../../../scripts/testing/tally.ts";

function report(files: readonly { status: string; tests: readonly string[] }[]): string {
  const tests = files.flatMap((file) => file.tests);
  return JSON.stringify({
    success: files.every((file) => file.status === "passed"),
    numPassedTests: tests.filter((status) => status === "passed").length,
    numFailedTests: tests.filter((status) => status === "failed").length,
    testResults: files.map((file) => ({
      status: file.status,
      assertionResults: file.tests.map((status) => ({ status })),
    })),
  });
}

describe("the tally of a test run", () => {
  it("counts passed and failed tests", () => {
    const text = report([
      { status: "passed", tests: ["passed", "passed"] },
      { status: "failed", tests: ["passed", "failed"] },
    ]);
    expect(tally(text, false)).toEqual({ passed: 3, failed: 1 });
  });

  it("counts a file that could not be loaded as one failure", () => {
    expect(tally(report([{ status: "failed", tests: [] }]), false)).toEqual({ passed: 0, failed: 1 });
  });

  it("never calls a run good if vitest failed it or it left no report", () => {
    expect(tally(report([{ status: "passed", tests: ["passed"] }]), false)).toEqual({ passed: 1, failed: 1 });
    expect(tally(null, true)).toEqual({ passed: 0, failed: 1 });
  });
});
