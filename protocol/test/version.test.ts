import { PROTOCOL } from "@segmentation/protocol";
import { expect, it } from "vitest";
import { protocolDigest, readDigests } from "../../scripts/generate/openapi/protocol-digests.ts";

it("a change of a message requires another version", async () => {
  expect(
    (await readDigests())[PROTOCOL],
    "If this version was released, raise PROTOCOL in protocol/src/headers.ts. Then run: npm run openapi",
  ).toBe(protocolDigest());
});
