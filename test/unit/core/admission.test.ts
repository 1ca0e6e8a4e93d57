import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CreateJobRequest } from "../../../src/contract/job.ts";
import { accessOf } from "../../../src/core/access.ts";
import {
  accessRefusal,
  accountRefusal,
  backlogRefusal,
  ownershipRefusal,
  requestRefusal,
  trialFormatRefusal,
  uploadRefusal,
  type AdmissionTerms,
  type ProposedJob,
} from "../../../src/core/admission.ts";
import type { ServiceError } from "../../../src/core/errors.ts";
import { defineJob } from "../../../src/core/job/define.ts";
import type { AccountUse } from "../../../src/core/ledger.ts";

const NOW = Date.UTC(2026, 0, 15);
const DAY = 86_400_000;
const TERMS: AdmissionTerms = {
  maxPrompts: 4,
  maxPromptLength: 10,
  maxBytes: { image: 1_000, video: 5_000 },
  trial: { version: "v1", tokens: 100, days: 14 },
  maxTrialBacklog: 200,
  upgradeUrl: "https://upgrade.test",
};
const LIMITS = { trialImagesPerJob: 3, trialActiveJobs: 1, paidActiveJobs: 5 };
const UNUSED: AccountUse = {
  activeJobs: 0,
  activeJobId: null,
  trial: { usedTokens: 0, startedAt: null },
};

const taskIds = (count: number, extension: string): string[] =>
  Array.from(
    { length: count },
    (_, i) => `${String(i).padStart(8, "0")}-0000-4000-8000-000000000000.${extension}`,
  );
const request = (changes: object = {}): CreateJobRequest =>
  CreateJobRequest.parse({ type: "image", prompts: ["cat"], tasks: taskIds(1, "png"), ...changes });

type AccessMode = "trial" | "paid" | "blocked";
const proposed = (
  accessMode: AccessMode,
  asked: CreateJobRequest,
  units = asked.tasks.length,
): ProposedJob => ({
  job: defineJob({ accountId: "acct_1", accessMode }, asked, "job_1", NOW),
  access: accessOf(accessMode, LIMITS),
  units,
});
const clip = (): CreateJobRequest => request({ type: "video", tasks: taskIds(1, "mp4") });
const codeOf = (refusal: ServiceError | null): string | null => refusal?.code ?? null;

describe("a request by itself", () => {
  it("is refused if it lists a task twice", () => {
    const [task = ""] = taskIds(1, "png");
    expect(codeOf(requestRefusal(TERMS, request({ tasks: [task, task] })))).toBe("duplicate_task");
    expect(requestRefusal(TERMS, request({ tasks: taskIds(100, "png") }))).toBeNull();
  });

  it("is refused for one prompt too many, and told how many are taken", () => {
    expect(requestRefusal(TERMS, request({ prompts: ["a", "b", "c", "d"] }))).toBeNull();
    const refusal = requestRefusal(TERMS, request({ prompts: ["a", "b", "c", "d", "e"] }));
    expect(refusal).toMatchObject({
      code: "too_many_prompts",
      message: expect.stringContaining("more than 4 prompts"),
    });
  });

  it("is refused for a prompt with one character too many, where a character is a code point", () => {
    expect(requestRefusal(TERMS, request({ prompts: ["cat", "🐈".repeat(10)] }))).toBeNull();
    const refusal = requestRefusal(TERMS, request({ prompts: ["cat", "🐈".repeat(11)] }));
    expect(refusal).toMatchObject({
      code: "prompt_too_long",
      message: expect.stringContaining("10 characters"),
    });
  });
});

describe("an account by its access", () => {
  it("is refused everything while it is blocked, and told where to pay", () => {
    expect(accessRefusal(TERMS, accessOf("blocked", LIMITS))).toMatchObject({
      code: "payment_required",
      hints: { upgradeUrl: "https://upgrade.test" },
    });
    expect(accessRefusal(TERMS, accessOf("paid", LIMITS))).toBeNull();
    expect(accessRefusal(TERMS, accessOf("trial", LIMITS))).toBeNull();
  });

  it("may have jobs under way up to its limit, and no more", () => {
    const use = (activeJobs: number): AccountUse => ({ ...UNUSED, activeJobs, activeJobId: "job_0" });
    expect(accountRefusal(TERMS, proposed("paid", request()), use(4))).toBeNull();
    expect(accountRefusal(TERMS, proposed("paid", request()), use(5))).toMatchObject({
      code: "too_many_active_jobs",
      hints: {},
    });
  });

  it("of a trial is told which job is under way", () => {
    const use: AccountUse = { ...UNUSED, activeJobs: 1, activeJobId: "job_0" };
    expect(accountRefusal(TERMS, proposed("trial", request()), use)).toMatchObject({
      code: "active_job_exists",
      hints: { activeJobId: "job_0" },
    });
    expect(accountRefusal(TERMS, proposed("trial", request()), { ...use, activeJobId: null })?.hints).toEqual(
      {},
    );
  });

  it("that pays is asked nothing about trials: videos, batches and used tokens do not matter", () => {
    const spent: AccountUse = { ...UNUSED, trial: { usedTokens: 100, startedAt: NOW - 100 * DAY } };
    expect(accountRefusal(TERMS, proposed("paid", clip(), 3_600), spent)).toBeNull();
    expect(
      accountRefusal(TERMS, proposed("paid", request({ tasks: taskIds(100, "png") })), spent),
    ).toBeNull();
  });
});

describe("a trial account", () => {
  it("is refused a video, with what it has and what the video would need", () => {
    expect(accountRefusal(TERMS, proposed("trial", clip(), 7), UNUSED)).toMatchObject({
      code: "trial_video_unsupported",
      status: 402,
      hints: { remainingTokens: 100, requestedTokens: 7, upgradeUrl: "https://upgrade.test" },
    });
  });

  it("is refused a fourth picture", () => {
    expect(
      accountRefusal(TERMS, proposed("trial", request({ tasks: taskIds(3, "png") })), UNUSED),
    ).toBeNull();
    const four = proposed("trial", request({ tasks: taskIds(4, "png") }));
    expect(codeOf(accountRefusal(TERMS, four, UNUSED))).toBe("trial_limit_exceeded");
  });

  it("is refused what its tokens or its time do not cover, and told until when they last", () => {
    const trial = { usedTokens: 98, startedAt: NOW - 13 * DAY };
    const three = proposed("trial", request({ tasks: taskIds(3, "png") }));
    expect(accountRefusal(TERMS, three, { ...UNUSED, trial })).toMatchObject({
      code: "trial_insufficient",
      hints: { remainingTokens: 2, requestedTokens: 3, expiresAt: new Date(NOW + DAY).toISOString() },
    });
    const spent = { ...UNUSED, trial: { ...trial, usedTokens: 100 } };
    expect(codeOf(accountRefusal(TERMS, three, spent))).toBe("trial_exhausted");
    const over = { ...UNUSED, trial: { ...trial, startedAt: NOW - 14 * DAY } };
    expect(codeOf(accountRefusal(TERMS, three, over))).toBe("trial_expired");
  });

  it("that has not begun is told no end", () => {
    expect(accountRefusal(TERMS, proposed("trial", clip()), UNUSED)?.hints).not.toHaveProperty("expiresAt");
  });

  it("is told first of what it asks for, then of what it has left, then of its job under way", () => {
    const use: AccountUse = {
      activeJobs: 1,
      activeJobId: "job_0",
      trial: { usedTokens: 100, startedAt: NOW },
    };
    expect(codeOf(accountRefusal(TERMS, proposed("trial", clip()), use))).toBe("trial_video_unsupported");
    expect(codeOf(accountRefusal(TERMS, proposed("trial", request()), use))).toBe("trial_exhausted");
    const funded = { ...use, trial: { usedTokens: 0, startedAt: NOW } };
    expect(codeOf(accountRefusal(TERMS, proposed("trial", request()), funded))).toBe("active_job_exists");
  });
});

describe("a full trial queue", () => {
  it("takes a job up to its limit, and then asks to come again when the tasks above it are done, in 1 to 600 s", () => {
    const seconds = [200, 201, 260, 5_000].map(
      (backlog) => backlogRefusal(TERMS, backlog)?.hints.retryAfterSeconds ?? null,
    );
    expect(seconds).toEqual([null, 1, 60, 600]);
    expect(backlogRefusal(TERMS, 201)).toMatchObject({
      code: "trial_queue_full",
      hints: { upgradeUrl: "https://upgrade.test" },
    });
  });

  it("never asks to come again sooner because more waits", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(1_000_000), (backlog, maxTrialBacklog) => {
        const wait = (waiting: number): number =>
          backlogRefusal({ ...TERMS, maxTrialBacklog }, waiting)?.hints.retryAfterSeconds ?? 0;
        expect(Number.isInteger(wait(backlog))).toBe(true);
        expect(wait(backlog + 1)).toBeGreaterThanOrEqual(wait(backlog));
        expect(wait(backlog)).toBeLessThanOrEqual(600);
      }),
    );
  });
});

describe("an upload", () => {
  const bytes = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const png = { size: 1_000, head: bytes("\x89PNG\r\n\x1a\n") };
  const mp4 = { size: 5_000, head: bytes("\0\0\0\x18ftypisom") };
  const unknown = { size: 5, head: bytes("hello") };
  const [task = "", second = ""] = taskIds(2, "png");
  const { job } = proposed("paid", request({ tasks: [task, second] }));
  const { job: video } = proposed("paid", clip());

  it("that the account does not own is refused, whatever the others are", () => {
    const owned = [{ taskId: task, contentType: "video/mp4" }];
    expect(codeOf(ownershipRefusal(job, owned))).toBe("task_not_owned");
  });

  it("of the other kind is refused by its content type and named; application/octet-stream fits either", () => {
    const of = (contentType: string) => [
      { taskId: task, contentType: "application/octet-stream" },
      { taskId: second, contentType },
    ];
    expect(ownershipRefusal(job, of("image/x-raw"))).toBeNull();
    expect(ownershipRefusal(job, of("video/mp4"))).toMatchObject({
      code: "task_type_mismatch",
      message: expect.stringMatching(`^${second} is not a picture`),
    });
    expect(ownershipRefusal(video, [{ taskId: task, contentType: "image/png" }])?.message).toContain(
      `${task} is not a video`,
    );
  });

  it("is refused if it never arrived, is a byte too large, or its bytes are of the other kind", () => {
    expect(uploadRefusal(TERMS, job, task, png)).toBeNull();
    expect(uploadRefusal(TERMS, job, task, null)).toMatchObject({
      code: "upload_incomplete",
      message: expect.stringContaining(task),
    });
    expect(uploadRefusal(TERMS, job, task, { ...png, size: 1_001 })).toMatchObject({
      code: "upload_too_large",
      message: expect.stringContaining(`${task} is larger than 1000 bytes`),
    });
    expect(uploadRefusal(TERMS, video, task, mp4)).toBeNull();
    expect(uploadRefusal(TERMS, job, task, { ...mp4, size: 10 })?.message).toContain(
      `${task} is not a picture`,
    );
    expect(uploadRefusal(TERMS, video, task, png)?.message).toContain(`${task} is not a video`);
  });

  it("of bytes that nobody knows passes: the inference service tells that task alone", () => {
    expect(uploadRefusal(TERMS, job, task, unknown)).toBeNull();
    expect(uploadRefusal(TERMS, video, task, unknown)).toBeNull();
  });

  it("of a trial has to be a JPEG, PNG or WebP by its bytes, and the first that is not is named", () => {
    const asked = request({ tasks: [task, second] });
    const jpeg = { size: 9, head: bytes("\xff\xd8\xff\xe0") };
    const webp = { size: 9, head: bytes("RIFF\0\0\0\0WEBP") };
    const gif = { size: 9, head: bytes("GIF89a") };
    const trial = proposed("trial", asked);
    expect(trialFormatRefusal(TERMS, trial, UNUSED, [png, jpeg])).toBeNull();
    expect(trialFormatRefusal(TERMS, trial, UNUSED, [webp, gif])).toMatchObject({
      code: "trial_format_unsupported",
      message: expect.stringContaining(second),
      hints: { remainingTokens: 100, requestedTokens: 2 },
    });
    expect(codeOf(trialFormatRefusal(TERMS, trial, UNUSED, [png, unknown]))).toBe("trial_format_unsupported");
    expect(trialFormatRefusal(TERMS, proposed("paid", asked), UNUSED, [gif, gif])).toBeNull();
  });
});
