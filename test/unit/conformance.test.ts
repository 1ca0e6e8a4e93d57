import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { conformancePage } from "../conformance/page.ts";
import { NOT_THERE_YET, PARTS } from "../conformance/parts.ts";
import { isThere, parseProof } from "../conformance/proof.ts";
import { SPECIFIED_STATUSES } from "../conformance/statuses.ts";

describe("the conformance page", () => {
  const statements = PARTS.flatMap((part) => part.statements);

  it.each(statements.map((statement) => [statement.says, statement] as const))(
    "proves: %s",
    (_, { proofs }) => {
      expect(proofs.length).toBeGreaterThan(0);
      for (const proof of proofs) expect(isThere(parseProof(proof)), proof).toBe(true);
    },
  );

  it("is the one that `npm run conformance` writes", () => {
    expect(readFileSync("docs/conformance.md", "utf8")).toBe(conformancePage(PARTS, NOT_THERE_YET));
  });
});

describe("each status that the specification gives an operation", () => {
  const rows = Object.entries(SPECIFIED_STATUSES).flatMap(([operation, statuses]) =>
    statuses.map((status) => [operation, status] as const),
  );

  it.each(rows)("has its tests: %s %i", (operation, status) => {
    expect(existsSync(`test/operations/${operation}/${status}.test.ts`)).toBe(true);
  });
});
