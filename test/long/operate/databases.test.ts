import { describe, expect, it } from "vitest";
import { runVitest } from "../../support/process/run-vitest.ts";

const DATABASES = process.env["DATABASES"] ?? "3";

// The short form is test/databases, with a few tests of every kind.
describe("the tests of the Workers runtime", () => {
  it(`pass with the accounts of each test in one of ${DATABASES} databases`, async () => {
    const { code, out } = await runVitest(["--project=worker", "--maxWorkers=1"], { DATABASES });
    expect(code, out.slice(-20_000)).toBe(0);
  });
});
