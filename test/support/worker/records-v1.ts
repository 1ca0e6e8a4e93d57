import { z } from "zod";

/**
 * What JobObjects stored before records had a version, taken from real ones and frozen: never edit it. All are of one
 * account, and of the same second.
 */
export const RECORDS_V1 = {
  underWay: {
    job: {
      definition: {
        jobId: "job_01a202dfc9097229a3040d76d68d939c",
        accountId: "acct_01a202dfc8e371c6b4de7776cc64533b",
        lane: "bulk",
        prompts: ["cat"],
        generatePreview: false,
        taskIds: [
          "ba09b03d-5f47-4324-8040-b201cfde7a99.png",
          "af129c50-8500-42cf-b22d-25ef86d9eb12.png",
          "69f4a4a4-7bbe-4781-8e84-a056cf639818.png",
          "b323e306-0319-4ec2-95c8-aeba8950c8f4.png",
        ],
        createdAt: 1795344550153,
        type: "image",
        threshold: 0.5,
        maskThreshold: 0.5,
        mode: "batch",
      },
      phase: "running",
      tasks: [
        {
          taskId: "ba09b03d-5f47-4324-8040-b201cfde7a99.png",
          step: { at: "success", lease: 1 },
          attempts: 1,
          sends: 0,
          refusals: 0,
          started: true,
          problem: null,
        },
        {
          taskId: "af129c50-8500-42cf-b22d-25ef86d9eb12.png",
          step: { at: "leased", lease: 2, deadline: 1795344610188 },
          attempts: 1,
          sends: 0,
          refusals: 0,
          started: true,
          problem: null,
          progress: { lease: 2, done: 0, total: 1 },
        },
        {
          taskId: "69f4a4a4-7bbe-4781-8e84-a056cf639818.png",
          step: { at: "waiting", notBefore: 1795344552192 },
          attempts: 1,
          sends: 0,
          refusals: 0,
          started: true,
          problem: { code: "engine_crashed", message: "The engine crashed." },
          failedAt: 1795344550192,
        },
        {
          taskId: "b323e306-0319-4ec2-95c8-aeba8950c8f4.png",
          step: { at: "sent", resendAt: 1795344580167 },
          attempts: 0,
          sends: 1,
          refusals: 0,
          started: false,
          problem: null,
        },
      ],
      archive: null,
      lastLease: 3,
      updatedAt: 1795344550177,
      version: 2,
      projected: 2,
    },
    "output:ba09b03d-5f47-4324-8040-b201cfde7a99.png": {
      generatedAt: "2026-01-02T03:04:05.678Z",
      notice: null,
      preview: null,
      type: "image",
      units: 1,
      masks: [{ maskIndex: 0, promptIndex: 0, confidence: 0.9, file: "masks/0.png" }],
    },
  },
  ended: {
    job: {
      definition: {
        jobId: "job_01a202dfc93c7334970a2b203901b6e9",
        accountId: "acct_01a202dfc8e371c6b4de7776cc64533b",
        lane: "bulk",
        prompts: ["cat"],
        generatePreview: true,
        taskIds: ["e2d56aa3-5a15-4b87-9258-0127e2145612.png", "d827f546-4605-4899-92dc-29078797817b.png"],
        createdAt: 1795344550204,
        type: "image",
        threshold: 0.5,
        maskThreshold: 0.5,
        mode: "batch",
      },
      phase: "running",
      tasks: [
        {
          taskId: "e2d56aa3-5a15-4b87-9258-0127e2145612.png",
          step: { at: "success", lease: 1 },
          attempts: 1,
          sends: 0,
          refusals: 0,
          started: true,
          problem: null,
        },
        {
          taskId: "d827f546-4605-4899-92dc-29078797817b.png",
          step: { at: "failed", lease: 2 },
          attempts: 1,
          sends: 0,
          refusals: 0,
          started: true,
          problem: { code: "not_an_image", message: "The file is not a picture." },
        },
      ],
      archive: {
        step: { at: "ready", lease: 3, expiresAt: 1795430950259 },
        attempts: 1,
        sends: 0,
        refusals: 0,
      },
      lastLease: 3,
      updatedAt: 1795344550239,
      version: 3,
      projected: 3,
    },
    "output:e2d56aa3-5a15-4b87-9258-0127e2145612.png": {
      generatedAt: "2026-01-02T03:04:05.678Z",
      notice: null,
      preview: null,
      type: "image",
      units: 1,
      masks: [{ maskIndex: 0, promptIndex: 0, confidence: 0.9, file: "masks/0.png" }],
    },
  },
  clip: {
    job: {
      definition: {
        jobId: "job_01a202dfc9997396a0263e98989a310d",
        accountId: "acct_01a202dfc8e371c6b4de7776cc64533b",
        lane: "bulk",
        prompts: ["cat"],
        generatePreview: false,
        taskIds: ["ff54f667-b245-407d-beac-0af7e2a10356.mp4"],
        createdAt: 1795344550297,
        type: "video",
        scoreThreshold: 0,
        fps: null,
        numFrames: 3,
        maxFrames: null,
        mode: "video",
      },
      phase: "running",
      tasks: [
        {
          taskId: "ff54f667-b245-407d-beac-0af7e2a10356.mp4",
          step: { at: "sent", resendAt: 1795344580306 },
          attempts: 0,
          sends: 1,
          refusals: 0,
          started: false,
          problem: null,
        },
      ],
      archive: null,
      lastLease: 0,
      updatedAt: 1795344550297,
      version: 1,
      projected: 1,
    },
  },
} as const;

const pending = [
  z.looseObject({ at: z.literal("waiting"), notBefore: z.number() }),
  z.looseObject({ at: z.literal("sent"), resendAt: z.number() }),
  z.looseObject({ at: z.literal("leased"), lease: z.number(), deadline: z.number() }),
] as const;
const delivery = { attempts: z.number(), sends: z.number(), refusals: z.number() };
const definition = {
  jobId: z.string(),
  accountId: z.string(),
  mode: z.enum(["single", "batch", "video"]),
  lane: z.enum(["interactive", "bulk", "trial"]),
  prompts: z.array(z.string()),
  generatePreview: z.boolean(),
  taskIds: z.array(z.string()),
  createdAt: z.number(),
};
const optionalNumber = z.number().nullable();

/** All that the Worker before versions could make sense of, whatever else a record had. Frozen too. */
export const ReadableByV1 = z.looseObject({
  definition: z.discriminatedUnion("type", [
    z.looseObject({
      ...definition,
      type: z.literal("image"),
      threshold: z.number(),
      maskThreshold: z.number(),
    }),
    z.looseObject({
      ...definition,
      type: z.literal("video"),
      scoreThreshold: z.number(),
      fps: optionalNumber,
      numFrames: optionalNumber,
      maxFrames: optionalNumber,
    }),
  ]),
  phase: z.enum(["prepared", "running", "withdrawn", "expired"]),
  tasks: z.array(
    z.looseObject({
      ...delivery,
      taskId: z.string(),
      step: z.discriminatedUnion("at", [
        ...pending,
        z.looseObject({ at: z.literal("success"), lease: z.number() }),
        z.looseObject({ at: z.literal("failed"), lease: optionalNumber }),
      ]),
      started: z.boolean(),
      problem: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
      progress: z.looseObject({ lease: z.number(), done: z.number(), total: z.number() }).optional(),
      failedAt: z.number().optional(),
    }),
  ),
  archive: z
    .looseObject({
      ...delivery,
      step: z.discriminatedUnion("at", [
        ...pending,
        z.looseObject({ at: z.literal("ready"), lease: z.number(), expiresAt: z.number() }),
        z.looseObject({ at: z.literal("failed"), message: z.string() }),
      ]),
    })
    .nullable(),
  lastLease: z.number(),
  updatedAt: z.number(),
  version: z.number(),
  projected: z.number(),
});
