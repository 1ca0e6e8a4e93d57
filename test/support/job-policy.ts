import { DEFAULT_POLICY, type JobPolicy } from "../../src/jobs/rules/policy.ts";

/** The defaults, with a time after which a message counts as lost that is shorter than the other times of a job. */
export const policy: JobPolicy = { ...DEFAULT_POLICY, resendMs: 30_000 };
