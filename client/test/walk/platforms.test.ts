import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { picture } from "../support/memory-client.ts";
import { buildPlatforms, type Platforms, USUAL_PLATFORMS } from "../support/platforms/all.ts";
import { fakeService } from "../support/fake-service.ts";
import { serve } from "../support/serve.ts";

// In Deno and Bun: client/test/long/platforms.test.ts.
describe("the package on every platform", () => {
  let platforms: Platforms;
  beforeAll(async () => {
    platforms = await buildPlatforms();
  });
  afterAll(() => platforms.close());

  it.each(USUAL_PLATFORMS)("walks in %s", async (name) => {
    const baseUrl = await serve(fakeService().app);
    const options = {
      baseUrl,
      apiKey: "sk_live_fake",
      picture: Buffer.from(picture(9)).toString("base64"),
      prompt: "cup",
    };
    const report = await platforms.all[name](options);
    if (report === null) return console.log(`This machine has no ${name}: it is not tested there.`);
    expect(report.filter(({ failure }) => failure !== null)).toEqual([]);
    expect(report).toHaveLength(7);
  });
});
