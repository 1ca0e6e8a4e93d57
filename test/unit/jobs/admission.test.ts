import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CreateJobRequest } from "../../../src/jobs/contract/job.ts";
import { accessOf, type Access } from "../../../src/billing/rules/access.ts";
import {
  accessRefusal,
  accountRefusal,
  laneHasRoom,
  lookRefusal,
  ownershipRefusal,
  requestRefusal,
  trialFormatRefusal,
  trialQueueFull,
  uploadRefusal,
  type AdmissionTerms,
  type ProposedJob,
} from "../../../src/jobs/rules/admission.ts";
import type { ServiceError } from "../../../src/shared/errors.ts";
import { defineJob } from "../../../src/jobs/rules/define.ts";
import type { AccountUse } from "../../../src/billing/rules/ledger.ts";
import { sniffMedia } from "../../../src/shared/bucket/media-type.ts";
import { mostBytesOf } from "../../../src/uploads/rules/upload.ts";

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
const LIMITS = {
  trialImagesPerJob: 3,
  trialActiveJobs: 1,
  paidActiveJobs: 5,
  trialTasksPerDay: 20,
  paidUnitsPerDay: 5_000,
  creditUnits: 1_000,
  trialNeedsVerifiedEmail: true,
};
const UNUSED: AccountUse = {
  activeJobs: 0,
  activeJobId: null,
  trial: { usedTokens: 0, startedAt: null },
  daily: { day: 0, units: 0, tasks: 0, files: 0 },
  meteredUnits: 0,
  refusedLooks: { day: 0, looks: 0 },
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
  access: accessTo(accessMode),
  units,
});
const accessTo = (accessMode: AccessMode, emailVerified = true): Access =>
  accessOf({ accessMode, emailVerified, unitsPerDay: null, paidUnits: null, creditUnits: null }, LIMITS);
const clip = (): CreateJobRequest => request({ type: "video", tasks: taskIds(1, "mp4") });
const codeOf = (refusal: ServiceError | null): string | null => refusal?.code ?? null;

describe("a request by itself", () => {
  it("is refused if it lists a task twice", () => {
    const [task = ""] = taskIds(1, "png");
    expect(codeOf(requestRefusal(TERMS, request({ tasks: [task, task] })))).toBe("duplicate_task");
    expect(requestRefusal(TERMS, request({ tasks: taskIds(100, "png") }))).toBeNull();
  });

  it("is refused for one prompt too many, and learns how many are accepted", () => {
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

it("a request of regions alone has no prompt to be refused for", () => {
  const [taskId] = taskIds(1, "png");
  const asked = request({ prompts: undefined, regions: [{ taskId, box: [1, 2, 3, 4] }] });
  expect(requestRefusal({ ...TERMS, maxPrompts: 0 }, asked)).toBeNull();
});

describe("an account by its access", () => {
  it("is refused everything while it is blocked, and learns where to pay", () => {
    expect(accessRefusal(TERMS, accessTo("blocked"))).toMatchObject({
      code: "payment_required",
      hints: { upgradeUrl: "https://upgrade.test" },
    });
    expect(accessRefusal(TERMS, accessTo("paid"))).toBeNull();
    expect(accessRefusal(TERMS, accessTo("trial"))).toBeNull();
  });

  it("is refused a trial without a verified e-mail address, and learns where to upgrade", () => {
    expect(accessRefusal(TERMS, accessTo("trial", false))).toMatchObject({
      code: "email_unverified",
      status: 402,
      hints: { upgradeUrl: "https://upgrade.test" },
    });
    expect(accessRefusal(TERMS, accessTo("paid", false))).toBeNull();
    expect(accessRefusal(TERMS, accessTo("blocked", false))?.code).toBe("payment_required");
  });

  it("may have jobs under way up to its limit, and no more", () => {
    const use = (activeJobs: number): AccountUse => ({ ...UNUSED, activeJobs, activeJobId: "job_0" });
    expect(accountRefusal(TERMS, proposed("paid", request()), use(4))).toBeNull();
    expect(accountRefusal(TERMS, proposed("paid", request()), use(5))).toMatchObject({
      code: "too_many_active_jobs",
      hints: {},
    });
  });

  it("of a trial learns which job is in progress", () => {
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

describe("an account's day", () => {
  const HOUR = 3_600_000;
  /** Of a job that asks for so many units, ten hours into the day, where so many of 5,000 are used. */
  const refusal = (units: number, used: number, day = NOW / DAY): ServiceError | null => {
    const { job, access } = proposed("paid", clip());
    const asked = { job: { ...job, createdAt: NOW + 10 * HOUR }, access, units };
    return accountRefusal(TERMS, asked, { ...UNUSED, daily: { day, units: used, tasks: 0, files: 0 } });
  };

  it("has room for a job up to its last unit, and not for one unit more; learns when the next begins", () => {
    expect(refusal(100, 4_900)).toBeNull();
    expect(refusal(101, 4_900)).toMatchObject({
      code: "daily_limit_reached",
      status: 402,
      message: expect.stringContaining(
        "Units that the job may use: 101. The account's limit per day (UTC) is 5000; left until 00:00 UTC: 100.",
      ),
      hints: { retryAfterSeconds: 14 * 3_600 },
    });
    expect(refusal(1, 5_000)?.message).toContain("left until 00:00 UTC: 0.");
    expect(refusal(5_000, 1)?.hints).toHaveProperty("retryAfterSeconds");
  });

  it("begins again at midnight of UTC", () => {
    expect(refusal(5_000, 5_000, NOW / DAY - 1)).toBeNull();
    expect(refusal(1, 5_000, NOW / DAY + 1)?.code).toBe("daily_limit_reached");
  });

  it("has never room for a job of more units than a whole day has, which is not asked to retry later", () => {
    expect(refusal(5_000, 0)).toBeNull();
    expect(refusal(5_001, 0)).toMatchObject({
      code: "daily_limit_reached",
      message: expect.stringContaining("fewer pictures or frames"),
      hints: {},
    });
  });

  it("is over where the limit was lowered below what is used", () => {
    expect(refusal(1, 6_000)?.message).toContain("left until 00:00 UTC: 0.");
  });

  it("has room for as many tasks as its limit, whatever became of the others; learns when the next begins", () => {
    const ofTasks = (mode: AccessMode, count: number, used: number, day = NOW / DAY) =>
      accountRefusal(TERMS, proposed(mode, request({ tasks: taskIds(count, "png") })), {
        ...UNUSED,
        daily: { day, units: 0, tasks: used, files: 0 },
      });
    expect(ofTasks("trial", 3, 17)).toBeNull();
    expect(ofTasks("trial", 3, 18)).toMatchObject({
      code: "daily_limit_reached",
      message: expect.stringContaining(
        "Tasks of the job: 3. The account's limit per day (UTC), failed ones included, is 20; left until 00:00 UTC: 2.",
      ),
      hints: { retryAfterSeconds: 86_400 },
    });
    expect(ofTasks("trial", 3, 20, NOW / DAY - 1)).toBeNull();
    expect(ofTasks("paid", 100, 9_900)).toBeNull();
    expect(ofTasks("paid", 100, 9_901)?.code).toBe("daily_limit_reached");
  });

  it("has never room for a job of more tasks than a whole day has, which is not asked to retry later", () => {
    const { job, access, units } = proposed("trial", request({ tasks: taskIds(3, "png") }));
    const most = (maxTasksPerDay: number) =>
      accountRefusal(TERMS, { job, access: { ...access, maxTasksPerDay }, units }, UNUSED);
    expect(most(3)).toBeNull();
    expect(most(2)).toMatchObject({ code: "daily_limit_reached", hints: {} });
  });

  it("has room for as many files as its limit; learns what needs fewer, and when the next begins", () => {
    // A picture with one prompt may have 200 masks, and four files more.
    const asked = proposed("paid", request({ tasks: taskIds(2, "png") }));
    const withFiles = (used: number, { maxFilesPerDay } = asked.access) =>
      accountRefusal(
        TERMS,
        { ...asked, access: { ...asked.access, maxFilesPerDay } },
        { ...UNUSED, daily: { day: NOW / DAY, units: 0, tasks: 0, files: used } },
      );
    const most = asked.access.maxFilesPerDay;
    expect(withFiles(most - 408)).toBeNull();
    expect(withFiles(most - 407)).toMatchObject({
      code: "daily_limit_reached",
      message: expect.stringMatching(
        `^Files that the job may write: 408; fewer prompts and formats need fewer. .* is ${most}, .*; left until 00:00 UTC: 407.`,
      ),
      hints: { retryAfterSeconds: 86_400 },
    });
    expect(withFiles(0, { ...asked.access, maxFilesPerDay: 407 })).toMatchObject({
      code: "daily_limit_reached",
      hints: {},
    });
  });

  it("is asked about before the jobs under way, and a trial is not asked about units", () => {
    const use = { ...UNUSED, activeJobs: 5, daily: { day: NOW / DAY, units: 5_000, tasks: 0, files: 0 } };
    expect(codeOf(accountRefusal(TERMS, proposed("paid", request()), use))).toBe("daily_limit_reached");
    expect(codeOf(accountRefusal(TERMS, proposed("trial", request()), { ...use, activeJobs: 0 }))).toBeNull();
  });
});

describe("a subscriber's credit", () => {
  /** Of a job that may use so many units, where so many are used or reserved, 250 of them paid for, and 1,250 may be owed. */
  const refusal = (units: number, meteredUnits: number): ServiceError | null => {
    const asked = proposed("paid", request(), units);
    const access = { ...asked.access, credit: { firstUnits: 1_000, paidUnits: 250 } };
    return accountRefusal(TERMS, { ...asked, access }, { ...UNUSED, meteredUnits });
  };

  it("covers a job up to its last unit, and not one unit more; who is refused learns how much is left and where to pay", () => {
    expect(refusal(100, 1_400)).toBeNull();
    expect(refusal(101, 1_400)).toMatchObject({
      code: "payment_required",
      message: expect.stringMatching(
        "^Units that the job may use: 101. .* may have used 1250 units that are not paid yet; left: 100.",
      ),
      hints: { upgradeUrl: "https://upgrade.test" },
    });
  });

  it("that was lowered below what is used has nothing left, and not less", () => {
    expect(refusal(1, 1_600)?.message).toContain("left: 0.");
  });
});

describe("an account whose jobs are refused because of their uploads", () => {
  /** Of an account that may have twenty tasks per day, for whose refused jobs the bucket was asked about so many uploads on a day. */
  const refusal = (looks: number, day = NOW / DAY): ServiceError | null =>
    lookRefusal(proposed("trial", request()), { ...UNUSED, refusedLooks: { day, looks } });

  it("is heard for as many uploads of a day as it may have tasks, and then asked to come again the next day", () => {
    expect(refusal(19)).toBeNull();
    expect(refusal(20)).toMatchObject({
      code: "daily_limit_reached",
      message: expect.stringContaining("Upload every file before you create its job."),
      hints: { retryAfterSeconds: 86_400 },
    });
    expect(refusal(20, NOW / DAY - 1)).toBeNull();
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

  it("is refused what its tokens or its time do not cover, and learns until when they last", () => {
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

  it("that has not begun has no end", () => {
    expect(accountRefusal(TERMS, proposed("trial", clip()), UNUSED)?.hints).not.toHaveProperty("expiresAt");
  });

  it("is refused first for what it asks for, then for what it has left, then for its job in progress", () => {
    const use: AccountUse = {
      ...UNUSED,
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

describe("the trial lane", () => {
  const pictures = (count: number): ProposedJob =>
    proposed("trial", request({ tasks: taskIds(count, "png") }));
  const wait = (openTasks: number, endedTasks: number, busyMs: number, count = 1): number | undefined =>
    trialQueueFull(TERMS, pictures(count), openTasks, { endedTasks, busyMs }).hints.retryAfterSeconds;

  it("has room for a job with which no more tasks are open than are allowed, and not for one task more", () => {
    expect(laneHasRoom(TERMS, pictures(3), 197)).toBe(true);
    expect(laneHasRoom(TERMS, pictures(3), 198)).toBe(false);
    expect(laneHasRoom(TERMS, pictures(1), 200)).toBe(false);
  });

  it("has room for any job while it is empty, so that a job of more tasks than are allowed gets in some time", () => {
    const terms = { ...TERMS, maxTrialBacklog: 2 };
    expect(laneHasRoom(terms, pictures(3), 0)).toBe(true);
    expect(laneHasRoom(terms, pictures(3), 1)).toBe(false);
  });

  it("asks nothing of the jobs of other lanes", () => {
    expect(laneHasRoom(TERMS, proposed("paid", request({ tasks: taskIds(100, "png") })), 5_000)).toBe(true);
  });

  it("that is full asks to come again when enough of its tasks will have ended, at its pace", () => {
    // Sixty tasks in two minutes: two seconds for each.
    expect(wait(200, 60, 120_000)).toBe(2);
    expect(wait(200, 60, 120_000, 3)).toBe(6);
    expect(wait(230, 60, 120_000)).toBe(62);
    expect(wait(200, 7, 10_000)).toBe(2);
    const terms = { ...TERMS, maxTrialBacklog: 2 };
    const pace = { endedTasks: 1, busyMs: 5_000 };
    expect(trialQueueFull(terms, pictures(3), 1, pace).hints.retryAfterSeconds).toBe(5);
    expect(trialQueueFull(TERMS, pictures(1), 200, pace)).toMatchObject({
      code: "trial_queue_full",
      status: 503,
      hints: { upgradeUrl: "https://upgrade.test" },
    });
  });

  it("that has ended no task yet asks to wait as long again", () => {
    expect(wait(200, 0, 7_000)).toBe(7);
    expect(wait(201, 0, 7_000)).toBe(14);
  });

  it("asks for a wait of 1 to 600 whole seconds, and for no shorter one because more tasks are open", () => {
    expect(wait(200, 1, 0)).toBe(1);
    expect(wait(200, 300, 1_000)).toBe(1);
    expect(wait(5_000, 1, 300_000)).toBe(600);
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(1_000), fc.nat(300_000), (openTasks, ended, busyMs) => {
        const seconds = wait(openTasks, ended, busyMs) ?? 0;
        expect(Number.isInteger(seconds)).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(seconds).toBeLessThanOrEqual(600);
        expect(wait(openTasks + 1, ended, busyMs)).toBeGreaterThanOrEqual(seconds);
      }),
    );
  });
});

describe("an upload", () => {
  const bytes = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const png = { size: 1_000, etag: '"e"', media: sniffMedia(bytes("\x89PNG\r\n\x1a\n")) };
  const mp4 = { size: 5_000, etag: '"e"', media: sniffMedia(bytes("\0\0\0\x18ftypisom")) };
  const unknown = { size: 5, etag: '"e"', media: sniffMedia(bytes("hello")) };
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
      message: expect.stringContaining(`${task} is larger than 0.001 MB`),
    });
    expect(uploadRefusal(TERMS, video, task, mp4)).toBeNull();
    expect(uploadRefusal(TERMS, job, task, { ...mp4, size: 10 })?.message).toContain(
      `${task} is not a picture`,
    );
    expect(uploadRefusal(TERMS, video, task, png)?.message).toContain(`${task} is not a video`);
  });

  it("fits some job up to the limit of its content type, and as application/octet-stream up to the larger one", () => {
    expect(mostBytesOf(TERMS, "image/png")).toBe(1_000);
    expect(mostBytesOf(TERMS, "VIDEO/mp4")).toBe(5_000);
    expect(mostBytesOf(TERMS, "application/octet-stream")).toBe(5_000);
    const pictures = { ...TERMS, maxBytes: { image: 9_000, video: 5_000 } };
    expect(mostBytesOf(pictures, "application/octet-stream")).toBe(9_000);
  });

  it("of bytes that nobody knows passes: the inference service tells that task alone", () => {
    expect(uploadRefusal(TERMS, job, task, unknown)).toBeNull();
    expect(uploadRefusal(TERMS, video, task, unknown)).toBeNull();
  });

  it("of a trial has to be a JPEG, PNG or WebP by its bytes, and the first that is not is named", () => {
    const asked = request({ tasks: [task, second] });
    const jpeg = { size: 9, etag: '"e"', media: sniffMedia(bytes("\xff\xd8\xff\xe0")) };
    const webp = { size: 9, etag: '"e"', media: sniffMedia(bytes("RIFF\0\0\0\0WEBP")) };
    const gif = { size: 9, etag: '"e"', media: sniffMedia(bytes("GIF89a")) };
    const avif = { size: 9, etag: '"e"', media: sniffMedia(bytes("\0\0\0\x1cftypavif")) };
    const heic = { size: 9, etag: '"e"', media: sniffMedia(bytes("\0\0\0\x1cftypheic")) };
    const trial = proposed("trial", asked);
    expect(trialFormatRefusal(TERMS, trial, UNUSED, [png, jpeg])).toBeNull();
    expect(trialFormatRefusal(TERMS, trial, UNUSED, [webp, gif])).toMatchObject({
      code: "trial_format_unsupported",
      message: expect.stringContaining(second),
      hints: { remainingTokens: 100, requestedTokens: 2 },
    });
    expect(codeOf(trialFormatRefusal(TERMS, trial, UNUSED, [png, unknown]))).toBe("trial_format_unsupported");
    const adviceFor = (odd: typeof gif) =>
      trialFormatRefusal(TERMS, trial, UNUSED, [png, odd])?.message.split(". ")[1];
    expect([gif, avif].map(adviceFor)).toEqual(["Convert it, or upgrade.", "Convert it, or upgrade."]);
    expect([heic, unknown].map(adviceFor)).toEqual(["Convert it.", "Convert it."]);
    expect(trialFormatRefusal(TERMS, proposed("paid", asked), UNUSED, [gif, gif])).toBeNull();
  });
});
