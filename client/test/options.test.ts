import { SegmentationClient, SegmentationError } from "segmentation-client";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { answering, OPTIONS } from "./support/answering.ts";
import { memoryClient, picture } from "./support/memory-client.ts";

/** A value as JavaScript may give it. */
const untyped = (value: unknown) => z.any().parse(value);

const NUMBERS: [string, unknown][] = [
  ["timeoutMs", 0],
  ["timeoutMs", -1],
  ["timeoutMs", Number.NaN],
  ["timeoutMs", "60000"],
  ["timeoutMs", null],
  ["maxRetries", -1],
  ["maxRetries", 1.5],
  ["maxRetries", Number.NaN],
  ["maxRetries", "5"],
];

describe("an option of the client", () => {
  it.each([
    ...NUMBERS,
    ["retryDelayMs", -1],
    ["retryDelayMs", Number.NaN],
    ["parallel", 0],
    ["parallel", Number.NaN],
    ["parallel", 2.5],
    ["parallel", Infinity],
    ["fetch", "fetch"],
    ["apiKey", 7],
    ["accessToken", "text"],
    ["accessToken", null],
    ["baseUrl", 7],
  ])("is refused by name when the client is made: %s: %j", (name, value) => {
    const options = untyped({ ...OPTIONS, [name]: value });
    expect(() => new SegmentationClient(options)).toThrow(
      expect.objectContaining({ code: "invalid_input", message: expect.stringContaining(`${name} is `) }),
    );
    expect(() => new SegmentationClient(untyped(null))).toThrow(SegmentationError);
  });

  it.each([Infinity, 2 ** 31, 2 ** 40])(
    "is no time limit, or a long one: timeoutMs: %d",
    async (timeoutMs) => {
      const { client } = memoryClient({}, { timeoutMs, maxRetries: 0 });
      expect((await client.segment(picture(1), "cup")).masks).toHaveLength(1);
    },
  );
});

describe("an option of a call", () => {
  it.each([
    ...NUMBERS,
    ["signal", new AbortController()],
    ["headers", new Headers({ a: "b" })],
    ["headers", { a: null }],
    ["headers", "a: b"],
    ["onRetry", 1],
    ["idempotencyKey", 7],
  ])("is refused by name, before anything is sent: %s: %j", async (name, value) => {
    const { client, service } = memoryClient();
    const options = untyped({ [name]: value });
    for (const call of [
      () => client.segment(picture(1), "cup", options),
      () => client.upload(picture(1), options),
      () => client.result("job_1", options),
      () => client.waitForJob("job_1", options),
      () => client.archive("job_1", options),
      () => client.download("https://storage.test/a", options),
      () => client.api.listJobs({}, options),
    ])
      await expect(call()).rejects.toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining(`${name} is `),
      });
    expect(service.asked).toEqual([]);
  });

  it("is refused if it is no object, as other arguments are", async () => {
    const { client, service } = memoryClient();
    for (const call of [
      () => client.segment(picture(1), "cup", untyped(null)),
      () => client.segment(picture(1), "cup", untyped({ onProgress: true })),
      () => client.segment(picture(1), untyped(undefined)),
      () => client.segment(picture(1), untyped([null])),
      () => client.segment(picture(1), [], untyped({ regions: { box: [1, 2, 3, 4] } })),
      () => client.segment(picture(1), [], untyped({ regions: [null] })),
      () => client.api.retrieveJob(untyped("job_1")),
      () => client.api.createJob(untyped(null)),
      () => client.result(untyped(undefined)),
      () => client.download(untyped(undefined)),
    ])
      await expect(call()).rejects.toMatchObject({ name: "SegmentationError", code: "invalid_input" });
    expect(service.asked).toEqual([]);
  });
});

describe("a source of tokens", () => {
  it.each([undefined, null, "", " \n", 7])(
    "that returns %j is refused, and not called again",
    async (token) => {
      let asked = 0;
      const accessToken = () => {
        asked++;
        return untyped(token);
      };
      const { baseUrl } = OPTIONS;
      const client = new SegmentationClient({ baseUrl, accessToken, fetch: () => expect.fail("sent") });
      await expect(client.api.getAccount()).rejects.toMatchObject({ code: "invalid_input" });
      expect(asked).toBe(1);
    },
  );
});

describe("an address", () => {
  it.each([
    ["https://fake.test\n", "https://fake.test"],
    ["  https://fake.test ", "https://fake.test"],
    ["HTTP://Fake.test/", "http://fake.test"],
    ["https://fake.test//", "https://fake.test"],
    ["https://fake.test/prefix/", "https://fake.test/prefix"],
    ["https://fake.test/v10", "https://fake.test/v10"],
    [new URL("https://fake.test"), "https://fake.test"],
  ])("is taken as it is meant: %j", async (baseUrl, address) => {
    const { client, asked } = answering([() => Response.json({})], { baseUrl });
    await client.api.getAccount();
    expect(asked[0]?.url).toBe(`${address}/v1/account`);
  });

  it.each([
    ["https://fake.test/v1", "Use https://fake.test"],
    ["https://fake.test/prefix/v1/", "Use https://fake.test/prefix"],
    ["https://fake.test?a=1", "Use https://fake.test"],
    ["https://fake.test/#/jobs", "Use https://fake.test"],
    ["https://ada:secret@fake.test", "The address fake.test contains a password."],
    ["https://fake.test:99999", "is not an address"],
    ["https://[::1", "is not an address"],
    ["ftp://fake.test", "is not an address"],
    ["fake.test", "is not an address"],
    [" ", "The client has no address."],
  ])("is refused, with the right one if there is one: %j", (baseUrl, message) => {
    expect(() => new SegmentationClient({ ...OPTIONS, baseUrl })).toThrow(
      expect.objectContaining({ code: "invalid_input", message: expect.stringContaining(message) }),
    );
  });
});
