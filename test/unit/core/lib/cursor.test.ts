import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeCursor, encodeCursor } from "../../../../src/core/lib/cursor.ts";
import { signToken } from "../../../../src/core/lib/signed-token.ts";

const SECRET = "a secret for cursors";
const LIST = ["acct_1", null, "batch", "success"];
const AFTER = "job_019aa0f61c4e7d2d9be7a5f40b8a6c21";

describe("a cursor", () => {
  it("leads back to the job that it was given for, with the same filters", async () => {
    const filters = fc.array(fc.option(fc.string()));
    await fc.assert(
      fc.asyncProperty(filters, fc.string(), async (of, after) => {
        expect(await decodeCursor(SECRET, of, await encodeCursor(SECRET, of, after))).toBe(after);
      }),
    );
  });

  it.each([
    ["account", ["acct_2", null, "batch", "success"]],
    ["job", ["acct_1", AFTER, "batch", "success"]],
    ["processing mode", ["acct_1", null, "single", "success"]],
    ["status", ["acct_1", null, "batch", null]],
    ["kind", ["acct_1", null, "batch"]],
  ])("is worthless in the list of another %s", async (_, list) => {
    const cursor = await encodeCursor(SECRET, LIST, AFTER);
    expect(await decodeCursor(SECRET, list, cursor)).toBeNull();
  });

  it("is worthless when it is forged", async () => {
    const forged = await encodeCursor("another secret", LIST, AFTER);
    for (const cursor of [forged, "", "x", `${forged}x`]) {
      expect(await decodeCursor(SECRET, LIST, cursor)).toBeNull();
    }
  });

  it("is nothing else that was signed by the same secret", async () => {
    const lease = await signToken(SECRET, "lease", { after: AFTER, of: "x" });
    expect(await decodeCursor(SECRET, LIST, lease)).toBeNull();
    const { length } = await encodeCursor(SECRET, LIST, AFTER);
    expect(length).toBeGreaterThan(0);
    for (const claims of [{}, { after: AFTER }, { after: 1, of: "x" }]) {
      expect(await decodeCursor(SECRET, LIST, await signToken(SECRET, "cursor", claims))).toBeNull();
    }
  });
});
