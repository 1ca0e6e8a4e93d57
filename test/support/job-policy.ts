import { DEFAULT_POLICY, type JobPolicy } from "../../src/jobs/rules/policy.ts";

/** The defaults, but with the shortest time for a lost message. */
export const policy: JobPolicy = { ...DEFAULT_POLICY, resendMs: 30_000 };
