import { expect, it } from "vitest";
import { segmentBucket } from "../support/node/bucket-run.ts";
import { sample } from "../support/node/sample.ts";
import { useSharedStack } from "../support/node/shared-stack.ts";

/** The sample and its number behind its end, which changes no pixel: the model has seen it. */
const picture = async (number: number) => new Uint8Array([...sample("chelsea"), number]);

it("a bucket of 8 objects is segmented into a bucket, each once, by a command line that was killed", async () => {
  const stack = await useSharedStack();
  const run = { stack, picture, prompt: "cat", objects: 8, kills: 1, by: "prefix" } as const;
  expect(await segmentBucket(run)).toMatch(/^8 objects/);
});
