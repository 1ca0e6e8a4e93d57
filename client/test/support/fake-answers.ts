/** State and answers that the parts of the fake service share. */
import type { Context } from "hono";
import type { CreateJobRequest } from "../../../src/jobs/contract/job.ts";
import { ERROR_CATALOGUE, type ErrorCode } from "../../../src/shared/errors.ts";

/** A job that was created. */
export interface Job {
  readonly jobId: string;
  readonly request: ReturnType<typeof CreateJobRequest.parse>;
  looks: number;
  isCancelled: boolean;
  archiveLooks: number | null;
}

export const CREATED_AT = "2026-11-20T09:30:00.000Z";

/** Answers with an error of the contract. */
export const refuse = (c: Context, code: ErrorCode, hints: object = {}) =>
  c.json({ error: code, message: ERROR_CATALOGUE[code][1], ...hints }, ERROR_CATALOGUE[code][0]);

/** The address that the client asked: a proxy names its own. */
export const originOf = (c: Context): string => c.req.header("x-asked-at") ?? new URL(c.req.url).origin;
