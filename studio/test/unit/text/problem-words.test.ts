import { isErrorCode, SegmentationError } from "../../../../client/src/errors.ts";
import { describe, expect, it } from "vitest";
import { isAboutPlan, problemSentence, problemTitle, waitText } from "../../../src/text/problem-words.ts";
import { ERROR_CATALOGUE } from "../../../../src/shared/errors.ts";

const CATALOGUE: readonly (readonly [code: string, status: number, message: string])[] = Object.entries(
  ERROR_CATALOGUE,
).map(([code, [status, message]]) => [code, status, message]);

function refusal(wanted: string, sentence?: string, details = {}): SegmentationError {
  const [code, status, message] = CATALOGUE.find(([each]) => each === wanted) ?? [];
  if (!isErrorCode(code)) throw new Error(`The service has no error ${wanted}.`);
  return new SegmentationError(code, sentence ?? message ?? "", { status, ...details });
}

const refusals = CATALOGUE.map(([code]) => refusal(code, undefined, { retryAfterSeconds: 150 }));

describe("a refusal in the studio's words", () => {
  it("names no header: people see the time to wait instead", () => {
    for (const error of refusals) {
      const sentence = problemSentence(error);
      expect(sentence, error.code).not.toMatch(/Retry-After|Bearer/);
      if (error.message.includes("Retry-After")) expect(sentence).toContain("in 3 minutes");
    }
    expect(problemSentence(refusal("rate_limited"))).toContain("Try again later.");
  });

  it("decides by the code, with any words of the service", () => {
    for (const { code } of refusals.filter(({ message }) => message.includes("Retry-After"))) {
      const reworded = refusal(code, "Reworded, 86400 bytes.", { retryAfterSeconds: 150 });
      expect(problemSentence(reworded), code).toBe(problemSentence(refusal(code, undefined, reworded)));
    }
    const busy = refusal("import_failed", "Reworded.", { retryAfterSeconds: 30 });
    expect(problemSentence(busy)).toContain("Try again in 30 seconds");
    expect(problemSentence(refusal("import_failed", "The host is unknown."))).toBe("The host is unknown.");
  });

  it("says what to do about changes that are too large to be saved", () => {
    expect(problemSentence(refusal("body_too_large"))).toContain("1 MiB of changes");
  });

  it("calls files by their names", () => {
    const names = new Map([["12ab.png", "holiday.png"]]);
    const tooLarge = refusal("upload_too_large", "The file of 12ab.png is larger than 50 MB.");
    expect(problemSentence(tooLarge, names)).toBe("The file of holiday.png is larger than 50 MB.");
    const mismatch = refusal("task_type_mismatch", "12ab.png is a video.");
    expect(problemSentence(mismatch, names)).toBe("holiday.png is a video.");
  });

  it("leads to the plans where paying helps, and nowhere else", () => {
    expect(refusals.filter(isAboutPlan).map(({ code }) => code)).toEqual([
      "trial_limit_exceeded",
      "trial_format_unsupported",
      "trial_video_unsupported",
      "trial_insufficient",
      "trial_exhausted",
      "trial_expired",
      "email_unverified",
      "payment_required",
      "trial_queue_full",
    ]);
  });

  it("has a separate title for each kind", () => {
    expect(problemTitle(refusal("trial_video_unsupported"))).toBe("This requires a paid plan");
    expect(problemTitle(refusal("daily_limit_reached"))).toBe("Today’s limit is reached");
    expect(problemTitle(refusal("internal_error"))).toBe("Something went wrong");
    expect(problemTitle(refusal("job_not_found"))).toBe("Not found");
    expect(problemTitle(new Error("odd"))).toBe("Something went wrong");
  });

  it.each([
    [1, "1 second"],
    [89, "89 seconds"],
    [600, "10 minutes"],
    [5_000, "84 minutes"],
    [40_000, "12 hours"],
  ])("says %i seconds as %s", (seconds, text) => {
    expect(waitText(seconds)).toBe(text);
  });
});
