import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeCursor, encodeCursor, type ListFilters } from "../../../src/core/cursor.ts";
import { signToken } from "../../../src/core/signed-token.ts";

const SECRET = "a secret for cursors";
const FILTERS: ListFilters = { accountId: "acct_1", jobId: null, processingMode: "batch", status: "success" };
const AFTER = "job_019aa0f61c4e7d2d9be7a5f40b8a6c21";

describe("a cursor", () => {
  it("leads back to the job that it was given for, with the same filters", async () => {
    const filter = fc.option(fc.string());
    const filters = fc.record({
      accountId: fc.string(),
      jobId: filter,
      processingMode: filter,
      status: filter,
    });
    await fc.assert(
      fc.asyncProperty(filters, fc.string(), async (of, after) => {
        expect(await decodeCursor(SECRET, of, await encodeCursor(SECRET, of, after))).toBe(after);
      }),
    );
  });

  it.each<[string, Partial<ListFilters>]>([
    ["account", { accountId: "acct_2" }],
    ["job", { jobId: AFTER }],
    ["processing mode", { processingMode: "single" }],
    ["status", { status: null }],
  ])("is worthless in the list of another %s", async (_, changes) => {
    const cursor = await encodeCursor(SECRET, FILTERS, AFTER);
    expect(await decodeCursor(SECRET, { ...FILTERS, ...changes }, cursor)).toBeNull();
  });

  it("is worthless when it is forged", async () => {
    const forged = await encodeCursor("another secret", FILTERS, AFTER);
    for (const cursor of [forged, "", "x", `${forged}x`]) {
      expect(await decodeCursor(SECRET, FILTERS, cursor)).toBeNull();
    }
  });

  it("is nothing else that was signed by the same secret", async () => {
    const lease = await signToken(SECRET, "lease", { after: AFTER, of: "x" });
    expect(await decodeCursor(SECRET, FILTERS, lease)).toBeNull();
    const { length } = await encodeCursor(SECRET, FILTERS, AFTER);
    expect(length).toBeGreaterThan(0);
    for (const claims of [{}, { after: AFTER }, { after: 1, of: "x" }]) {
      expect(await decodeCursor(SECRET, FILTERS, await signToken(SECRET, "cursor", claims))).toBeNull();
    }
  });
});
