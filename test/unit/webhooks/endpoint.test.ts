import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WebhookEventType } from "../../../src/webhooks/contract/webhook.ts";
import { DEFAULT_POLICY } from "../../../src/jobs/rules/policy.ts";
import {
  deliveryKeptMs,
  disablingReason,
  failingAfter,
  wants,
  nextWake,
  endpointRefusal,
  MOST_ENDPOINTS,
  MOST_KEPT_ENDPOINTS,
  type Pending,
} from "../../../src/webhooks/rules/endpoint.ts";
import type { AttemptEnd } from "../../../src/webhooks/rules/delivery.ts";

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;

const answered = (status: number): AttemptEnd => ({ status, error: null, ms: 1 });

describe("an endpoint that only fails", () => {
  it("is disabled once five days have passed since its first failure, and not before", () => {
    const since = failingAfter(null, answered(500), NOW);
    expect(since).toBe(NOW);
    expect(failingAfter(since, answered(302), NOW + DAY)).toBe(NOW);
    expect(disablingReason(500, since, NOW + 5 * DAY - 1)).toBeNull();
    expect(disablingReason(500, since, NOW + 5 * DAY)).toBe("no_success");
    expect(disablingReason(null, since, NOW + 5 * DAY)).toBe("no_success");
  });

  it("is disabled at once by a 410", () => {
    expect(disablingReason(410, null, NOW)).toBe("gone");
    expect(disablingReason(409, null, NOW)).toBeNull();
  });

  it("begins again with each success", () => {
    expect(failingAfter(NOW, answered(200), NOW + DAY)).toBeNull();
    expect(disablingReason(200, null, NOW + 100 * DAY)).toBeNull();
  });

  it("is disabled by 410 at once, and by no other status", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), (status) => {
        expect(disablingReason(status, null, NOW)).toBe(status === 410 ? "gone" : null);
      }),
    );
  });
});

describe("an endpoint is notified of", () => {
  it("its chosen types, or all if it names none", () => {
    for (const type of WebhookEventType.options) {
      expect(wants({ events: null, createdAt: NOW }, { type, at: NOW })).toBe(true);
      expect(wants({ events: ["job.failed"], createdAt: NOW }, { type, at: NOW })).toBe(
        type === "job.failed",
      );
    }
  });

  it("no events from before its creation", () => {
    const endpoint = { events: null, createdAt: NOW };
    expect(wants(endpoint, { type: "job.failed", at: NOW - 1 })).toBe(false);
  });
});

describe("the alarm of an endpoint's object comes", () => {
  const QUIET: Pending = { dueAt: null, isHeld: false, failingSince: null, oldestAt: NOW };
  const wakesAfter = (pending: Partial<Pending>) => {
    return nextWake({ ...QUIET, ...pending }, 30 * DAY, null, NOW) - NOW;
  };

  it("when the first delivery is due, or after a moment if it is overdue", () => {
    expect(wakesAfter({ dueAt: NOW + 5_000 })).toBe(5_000);
    expect(wakesAfter({ dueAt: NOW - DAY })).toBe(100);
  });

  it("when its patience ends, and when the oldest delivery is due for deletion", () => {
    expect(wakesAfter({ dueAt: NOW + 6 * DAY, failingSince: NOW })).toBe(5 * DAY);
    expect(wakesAfter({})).toBe(30 * DAY);
  });

  it("only to forget, while the endpoint is disabled", () => {
    expect(wakesAfter({ isHeld: true, dueAt: NOW, failingSince: NOW })).toBe(30 * DAY);
  });

  it("never, if it has nothing", () => {
    expect(wakesAfter({ oldestAt: null })).toBe(Infinity);
  });

  it("at a later time for any pending work, after it has rung", () => {
    const time = fc.option(fc.integer({ min: NOW - 40 * DAY, max: NOW + 40 * DAY }));
    const pending = fc.record({ dueAt: time, isHeld: fc.boolean(), failingSince: time, oldestAt: time });
    fc.assert(
      fc.property(pending, (any) => {
        expect(nextWake(any, 30 * DAY, null, NOW)).toBeGreaterThan(NOW);
      }),
    );
  });
});

describe("a delivery is kept", () => {
  it("as long as its job, and a month at most", () => {
    const kept = (days: number) => deliveryKeptMs({ ...DEFAULT_POLICY, retentionMs: days * DAY });
    expect([1, 30, 365].map(kept)).toEqual([DAY, 30 * DAY, 30 * DAY]);
  });
});

const [LIVE, KEPT] = [MOST_ENDPOINTS - 1, MOST_KEPT_ENDPOINTS - 1];

describe("an account's webhook endpoints", () => {
  it("are ten at most", () => {
    expect(endpointRefusal({ live: LIVE, kept: KEPT })).toBeNull();
    expect(endpointRefusal({ live: MOST_ENDPOINTS, kept: MOST_ENDPOINTS })).toMatchObject({
      code: "too_many_webhook_endpoints",
      message: expect.not.stringContaining("deleted"),
    });
  });

  it("are a hundred with those deleted within a day, and the refusal says so", () => {
    expect(endpointRefusal({ live: LIVE, kept: MOST_KEPT_ENDPOINTS })).toMatchObject({
      code: "too_many_webhook_endpoints",
      message: expect.stringContaining(`has ${MOST_KEPT_ENDPOINTS} webhook endpoints, including those`),
    });
  });
});
