import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PAGE, tagsOf, testsByTag, withProofs } from "../conformance/page.ts";
import { statusesOf } from "../conformance/statuses.ts";
import * as operationTables from "../support/operation-tables.ts";

describe("the conformance page", () => {
  const page = readFileSync(PAGE, "utf8");
  const tags = tagsOf(page);
  const tests = testsByTag();

  it.each(tags)("has a test that proves statement %s", (tag) => {
    expect(tests.get(tag)?.size).toBeGreaterThan(0);
  });

  it("has each tag once, and every tag that a test carries", () => {
    expect(tags).toEqual([...new Set(tags)]);
    expect([...tests.keys()].filter((tag) => !tags.includes(tag))).toEqual([]);
  });

  it("has no row that isn't read as a statement", () => {
    const rows = page.split("\n").filter((line) => line.includes(" | "));
    const heads = rows.filter((line) => line.startsWith("§ | "));
    expect(rows.length - heads.length).toBe(tags.length);
  });

  it("matches the output of `npm run conformance`", () => {
    expect(withProofs(page)).toBe(page);
  });
});

const LISTS: Readonly<Record<string, readonly string[]>> = operationTables;
const sources = globSync("test/worker/{*/operations,every-operation}/**/*.test.ts").map((file) =>
  readFileSync(file, "utf8"),
);

/** Returns true if an operation has tests of a status: a separate `describe`, or one over a list with the operation. */
const hasTestsOf = (operation: string, status: number): boolean =>
  sources.some(
    (source) =>
      source.includes(`describe("${operation} ${status}"`) ||
      [...source.matchAll(/describe\.each\((\w+)\)\("%s (\d+)"/g)].some(
        ([, list = "", of]) => LISTS[list]?.includes(operation) && of === String(status),
      ),
  );

describe("each status of an operation", () => {
  const rows = operationTables.OPERATION_IDS.flatMap((operation) =>
    statusesOf(operation).map((status) => [operation, status] as const),
  );

  it.each(rows)("has its tests: %s %i", (operation, status) => {
    expect(hasTestsOf(operation, status)).toBe(true);
  });

  it("is missed if it has none", () => {
    expect(hasTestsOf("getAccount", 202)).toBe(false);
  });
});
