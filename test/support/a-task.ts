import type { TaskRequest } from "@segmentation/protocol";

/** A task whose picture cannot be fetched: a service that has taken it stays busy. */
export const aTask = (key: string): TaskRequest => ({
  key,
  lane: "bulk",
  type: "image",
  account: "account",
  acceptedAt: 1,
  prompts: ["bright"],
  generatePreview: false,
  threshold: 0.5,
  maskThreshold: 0.5,
  limits: { inputBytes: 1_000, inputPixels: 1_000, masks: 10 },
  inputUrl: "https://s3.test/picture",
  callbackUrl: "https://api.test/callback",
  callbackToken: "token",
  deadline: Date.now() + 3_600_000,
});
