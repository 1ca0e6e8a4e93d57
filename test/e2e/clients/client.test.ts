import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildPlatforms, type Platforms } from "../../../client/test/support/platforms/all.ts";
import { sample } from "../../support/media/sample.ts";
import { type SharedStack, useSharedStack } from "../../support/stack/shared-stack.ts";

describe("the client library against the whole stack", () => {
  let stack: SharedStack;
  let platforms: Platforms;
  beforeAll(async () => {
    [stack, platforms] = await Promise.all([useSharedStack(), buildPlatforms()]);
  });
  afterAll(() => platforms.close());

  // In the others: client/test/walk with a fake service, and client/test/long/platforms.test.ts.
  it.each(["the project's Node", "Chromium"] as const)("walks in %s", async (name) => {
    const { baseUrl, apiKey } = stack;
    const picture = Buffer.from(sample("chelsea")).toString("base64");
    const report = await platforms.all[name]({ baseUrl, apiKey, picture, prompt: "cat" });
    expect(report?.filter(({ failure }) => failure !== null)).toEqual([]);
  });
});
