import { describe, expect, it } from "vitest";
import { attemptText, deliveryText, eventsText } from "../../../src/screens/webhooks/delivery-words.ts";

const attempt = { attemptedAt: "2026-11-22T12:00:00.000Z", status: null, milliseconds: 12, error: null };

describe("the studio's words for webhooks", () => {
  it("shows the outcome of an attempt", () => {
    expect(attemptText({ ...attempt, status: 204 })).toBe("Responded with 204");
    expect(attemptText({ ...attempt, error: "timeout" })).toBe("No response within 15 seconds");
    expect(attemptText({ ...attempt, milliseconds: null })).toBe("In progress");
  });

  it("shows whether a delivery arrived, and after how many attempts", () => {
    expect(deliveryText({ status: "succeeded", attempts: [attempt] })).toBe("Delivered");
    expect(deliveryText({ status: "succeeded", attempts: [attempt, attempt] })).toBe(
      "Delivered after 2 attempts",
    );
    expect(deliveryText({ status: "pending", attempts: [] })).toBe("Pending");
    expect(deliveryText({ status: "pending", attempts: [attempt] })).toBe("Retrying after 1 attempt");
    expect(deliveryText({ status: "failed", attempts: [attempt, attempt] })).toBe("Failed after 2 attempts");
  });

  it("names the events that an endpoint chose, and not the tests, which are always sent", () => {
    expect(eventsText(null)).toBe("All events");
    expect(eventsText(["job.failed", "test", "archive.ready"])).toBe("job.failed, archive.ready");
    expect(eventsText(["test"])).toBe("Test events only");
  });
});
