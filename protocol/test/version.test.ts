import { createHash } from "node:crypto";
import * as protocol from "@segmentation/protocol";
import { expect, it } from "vitest";
import { z } from "zod";

/** The digest of what each version's messages may be. */
const SCHEMAS: Readonly<Record<number, string>> = {
  1: "bd1146b33a700281e259055fbd3cb6ab799a4ba312446aec103c93fa0ba6b4f8",
};

it("a change of a message comes with another version", () => {
  const schemas = Object.entries(protocol)
    .flatMap(([name, value]) =>
      value instanceof z.ZodType ? [[name, z.toJSONSchema(value, { unrepresentable: "any" })] as const] : [],
    )
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash("sha256").update(JSON.stringify(schemas)).digest("hex");
  expect(
    SCHEMAS[protocol.PROTOCOL],
    "Raise PROTOCOL in protocol/src/headers.ts and add its digest here. Before the first release, only replace the digest",
  ).toBe(digest);
});
