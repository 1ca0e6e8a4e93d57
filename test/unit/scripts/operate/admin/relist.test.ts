import { describe, expect, it } from "vitest";
import type { OperatorApi } from "../../../../../scripts/shared/database/operator-api.ts";
import { relist } from "../../../../../scripts/operate/admin/relist.ts";
import type { Relisted } from "../../../../../src/operator/contract/operator.ts";

async function* pages(...sizes: number[]): AsyncGenerator<string[]> {
  for (const size of sizes) yield Array.from({ length: size }, (_, i) => `${size}-${i}`);
}

/** A Worker that finds the same of each object, and the bodies of its calls. */
function worker(found: Relisted["found"]): { api: OperatorApi; bodies: { objectIds: string[] }[] } {
  const bodies: { objectIds: string[] }[] = [];
  const call = (_method: string, _path: string, body?: unknown): Promise<unknown> => {
    const { objectIds }: { objectIds: string[] } = Object(body);
    bodies.push({ objectIds });
    const objects = objectIds.map((objectId) => ({
      objectId,
      jobId: "j",
      accountId: "a",
      usedUnits: 3,
      found,
    }));
    return Promise.resolve({ objects });
  };
  return { api: { call }, bodies };
}

describe("relist", () => {
  it("asks every object of every page, fifty at a time", async () => {
    const { api, bodies } = worker("listed");
    const outcome = await relist(api, pages(120, 1), false);
    expect(bodies.map(({ objectIds }) => objectIds.length)).toEqual([50, 50, 20, 1]);
    expect(outcome).toMatchObject({ result: [], exitCode: 0 });
    expect(outcome.summary).toContain("Objects asked: 121");
  });

  it.each([
    ["missing", false, 0],
    ["missing", true, 1],
    ["behind", true, 1],
    ["account_missing", false, 1],
    ["failed", false, 1],
    ["failed", true, 1],
    ["books_closed", false, 1],
  ] as const)("of jobs that are %s (dry run: %s) ends with %i", async (found, dryRun, exitCode) => {
    const outcome = await relist(worker(found).api, pages(2), dryRun);
    expect(outcome).toMatchObject({ result: [{ found, usedUnits: 3 }, { found }], exitCode });
  });

  it("names the objects that could not be asked, and says to run it again", async () => {
    const outcome = await relist(worker("failed").api, pages(1), false);
    expect(outcome.result).toMatchObject([{ objectId: "1-0", found: "failed" }]);
    expect(outcome.summary).toContain("Objects that could not be relisted: 1. Run this again");
  });
});
