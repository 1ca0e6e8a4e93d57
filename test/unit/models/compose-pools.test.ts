import { describe, expect, it, vi } from "vitest";
import { composePools } from "../../../src/compose-pools.ts";
import { settingsOf } from "../../../src/env.ts";

const COMMON = {
  PUBLIC_URL: "https://api.example.com",
  S3_ENDPOINT: "https://account.r2.cloudflarestorage.com",
  S3_BUCKET: "segmentation-media",
  S3_ACCESS_KEY_ID: "id",
  S3_SECRET_ACCESS_KEY: "key",
  MASTER_SECRET: "s".repeat(43),
};
const URL_POOL = { INFERENCE_URL: "https://inference.example.com", INFERENCE_TOKEN: "t".repeat(16) };
const CONTAINER = { INFERENCE_CONTAINER: {} };
const DIALED = { INFERENCE_GATEWAY: "true", GATEWAY: {} };

const namesOf = (changes: object): string[] => {
  const env = { ...COMMON, ...changes };
  const bindings: object & Partial<Parameters<typeof composePools>[1]> = env;
  return composePools(settingsOf(env), bindings).map(({ name }) => name);
};

describe("the pools", () => {
  it.each<readonly [object, readonly string[]]>([
    [URL_POOL, ["url"]],
    [CONTAINER, ["container"]],
    [{ ...DIALED }, ["gateway"]],
    [{ ...URL_POOL, ...CONTAINER, ...DIALED }, ["url", "gateway", "container"]],
    [{ ...URL_POOL, ...CONTAINER }, ["url", "container"]],
    [{ ...URL_POOL, ...CONTAINER, INFERENCE_ORDER: "container, url" }, ["container", "url"]],
    [{ ...URL_POOL, ...CONTAINER, INFERENCE_ORDER: "container" }, ["container"]],
    [{ ...URL_POOL, INFERENCE_ORDER: "container, url" }, ["url"]],
  ])("of %o are %j", (changes, names) => {
    expect(namesOf(changes)).toEqual(names);
  });

  it.each<readonly [object, RegExp]>([
    [{}, /lacks settings: INFERENCE_URL, INFERENCE_TOKEN\./],
    [{ ...CONTAINER, INFERENCE_URL: URL_POOL.INFERENCE_URL }, /lacks settings: INFERENCE_TOKEN\./],
    [
      { ...URL_POOL, INFERENCE_ORDER: "gpu" },
      /wrong: INFERENCE_ORDER \(Invalid option: expected one of "url"\|"gateway"\|"container"\)/,
    ],
    [
      { ...URL_POOL, INFERENCE_CONTAINER: "yes" },
      /INFERENCE_CONTAINER \(a Durable Object's binding, not a variable\)/,
    ],
    [
      { ...URL_POOL, INFERENCE_ORDER: "container" },
      /wrong: INFERENCE_ORDER \(names no pool that is configured/,
    ],
  ])("are refused with %o", (changes, message) => {
    expect(() => namesOf(changes)).toThrow(message);
  });
});

it("sends a request for a URL's service there, with its token", async () => {
  const asked = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response(null, { status: 503 }));
  const [pool] = composePools(settingsOf({ ...COMMON, ...URL_POOL }), {});
  await pool?.describeModel();
  const [url, init] = asked.mock.calls[0] ?? [];
  expect(url).toBe("https://inference.example.com/v1/model");
  expect(new Headers(init?.headers).get("authorization")).toBe(`Bearer ${URL_POOL.INFERENCE_TOKEN}`);
  asked.mockRestore();
});
