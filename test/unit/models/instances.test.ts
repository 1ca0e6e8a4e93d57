import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inOrderFor } from "../../../src/models/rules/instances.ts";
import { machineEnvironment } from "../../../src/models/rules/machine-environment.ts";

const INSTANCES = ["0", "1", "2", "3"].map((name) => ({ name }));

describe("an upload's order of instances", () => {
  it("is the same in any order, and survives the loss of one", () => {
    const anyOrder = fc.shuffledSubarray(INSTANCES, { minLength: INSTANCES.length });
    fc.assert(
      fc.property(fc.uuid(), anyOrder, fc.constantFrom(...INSTANCES), (upload, shuffled, lost) => {
        const order = inOrderFor(upload, INSTANCES);
        expect(inOrderFor(upload, shuffled)).toEqual(order);
        const rest = shuffled.filter((instance) => instance !== lost);
        expect(inOrderFor(upload, rest)).toEqual(order.filter((instance) => instance !== lost));
      }),
    );
  });

  it("never changes, not even with a new release", () => {
    const orders = ["a", "b", "c"].map((upload) =>
      inOrderFor(upload, INSTANCES)
        .map(({ name }) => name)
        .join(""),
    );
    expect(orders).toEqual(["3201", "2013", "0312"]);
  });

  it("gives each instance its share of the uploads", () => {
    const firsts = Array.from({ length: 1_000 }, (_, i) => inOrderFor(`upload-${i}`, INSTANCES)[0]?.name);
    for (const { name } of INSTANCES) {
      const share = firsts.filter((first) => first === name).length;
      expect(share).toBeGreaterThan(200);
      expect(share).toBeLessThan(300);
    }
  });
});

it("a container's service may reach the Worker and the bucket, and drains before Cloudflare ends it", () => {
  const urls = { PUBLIC_URL: "https://api.example.com/base", S3_ENDPOINT: "https://r2.example.com/bucket" };
  expect(machineEnvironment(urls, "token")).toEqual({
    INFERENCE_TOKEN: "token",
    STORAGE_ORIGINS: "https://r2.example.com",
    CALLBACK_ORIGINS: "https://api.example.com",
    DRAIN_SECONDS: "600",
  });
});
