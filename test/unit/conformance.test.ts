import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { conformancePage } from "../conformance/page.ts";
import { NOT_THERE_YET, PARTS } from "../conformance/parts.ts";
import { hasTestsOf, isThere, labelOf, parseProof } from "../conformance/proof.ts";
import { missingFrom, statementsOf } from "../conformance/statements-of.ts";
import { SPECIFIED_STATUSES } from "../conformance/statuses.ts";

const read = (path: string): string => readFileSync(path, "utf8");
const statements = PARTS.flatMap((part) => part.statements);

describe("the conformance page", () => {
  it.each(statements.map((statement) => [statement.says, statement] as const))(
    "proves: %s",
    (_, { proofs }) => {
      expect(proofs.length).toBeGreaterThan(0);
      for (const proof of proofs) expect(isThere(parseProof(proof)), proof).toBe(true);
    },
  );

  it("is the one that `npm run conformance` writes", () => {
    expect(read("docs/conformance.md")).toBe(conformancePage(PARTS, NOT_THERE_YET));
  });

  it("names each proof by words that begin its title and no other in its file", () => {
    const named = new Map<string, string>();
    for (const proof of new Set(statements.flatMap(({ proofs }) => proofs))) {
      const { file, title } = parseProof(proof);
      const label = labelOf({ file, title });
      expect(title.startsWith(label), proof).toBe(true);
      expect(named.get(`${file}: ${label}`), "the other proof of this label").toBeUndefined();
      named.set(`${file}: ${label}`, title);
    }
  });

  it("lists every statement of the specification, and none that isn't", () => {
    const full = read("test/conformance/statements-of-the-specification.txt").trimEnd().split("\n");
    const listed = statementsOf(read("docs/conformance.md"));
    expect({ lost: missingFrom(listed, full), unknown: missingFrom(full, listed) }).toEqual({
      lost: [],
      unknown: [],
    });
  });
});

describe("each status that the specification gives an operation", () => {
  const rows = Object.entries(SPECIFIED_STATUSES).flatMap(([operation, statuses]) =>
    statuses.map((status) => [operation, status] as const),
  );

  it.each(rows)("has its tests: %s %i", (operation, status) => {
    expect(hasTestsOf(operation, status)).toBe(true);
  });

  it("would be missed if it had none", () => {
    expect(hasTestsOf("getAccount", 202)).toBe(false);
  });
});
