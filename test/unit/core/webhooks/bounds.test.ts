import { describe, expect, it } from "vitest";
import {
  endpointRefusal,
  MOST_ENDPOINTS,
  MOST_KEPT_ENDPOINTS,
} from "../../../../src/core/webhooks/bounds.ts";

const [LIVE, KEPT] = [MOST_ENDPOINTS - 1, MOST_KEPT_ENDPOINTS - 1];

describe("an account's webhook endpoints", () => {
  it("are ten at most", () => {
    expect(endpointRefusal({ live: LIVE, kept: KEPT })).toBeNull();
    expect(endpointRefusal({ live: MOST_ENDPOINTS, kept: MOST_ENDPOINTS })).toMatchObject({
      code: "too_many_webhook_endpoints",
      message: expect.not.stringContaining("deleted"),
    });
  });

  it("are a hundred with those that were deleted within a day, and the refusal says so", () => {
    expect(endpointRefusal({ live: LIVE, kept: MOST_KEPT_ENDPOINTS })).toMatchObject({
      code: "too_many_webhook_endpoints",
      message: expect.stringContaining(`has ${MOST_KEPT_ENDPOINTS} webhook endpoints with those`),
    });
  });
});
