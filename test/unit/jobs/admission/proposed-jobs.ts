import { CreateJobRequest } from "../../../../src/jobs/contract/job.ts";
import { accessOf, type Access } from "../../../../src/billing/rules/access.ts";
import type { AdmissionTerms, ProposedJob } from "../../../../src/jobs/rules/admission.ts";
import type { ServiceError } from "../../../../src/shared/errors.ts";
import { defineJob } from "../../../../src/jobs/rules/define.ts";
import type { AccountUse } from "../../../../src/billing/rules/ledger.ts";

export const NOW = Date.UTC(2026, 0, 15);

/** The terms of the tests. */
export const TERMS: AdmissionTerms = {
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
/** The use of a new account. */
export const UNUSED: AccountUse = {
  activeJobs: 0,
  activeJobId: null,
  trial: { usedTokens: 0, startedAt: null },
  daily: { day: 0, units: 0, tasks: 0, files: 0 },
  meteredUnits: 0,
  refusedInspections: { day: 0, inspections: 0 },
};

/** Returns this many different ids of uploads. */
export const taskIds = (count: number, extension: string): string[] =>
  Array.from(
    { length: count },
    (_, i) => `${String(i).padStart(8, "0")}-0000-4000-8000-000000000000.${extension}`,
  );
/** A valid request, with changes. */
export const request = (changes: object = {}): CreateJobRequest =>
  CreateJobRequest.parse({ type: "image", prompts: ["cat"], tasks: taskIds(1, "png"), ...changes });

export type AccessMode = "trial" | "paid" | "blocked";
/** Returns a request's job, proposed for admission. */
export const proposed = (
  accessMode: AccessMode,
  asked: CreateJobRequest,
  units = asked.tasks.length,
): ProposedJob => ({
  job: defineJob({ accountId: "acct_1", accessMode }, asked, "job_1", NOW),
  access: accessTo(accessMode),
  units,
});

/** The access of an account in this mode. */
export const accessTo = (accessMode: AccessMode, emailVerified = true): Access =>
  accessOf({ accessMode, emailVerified, unitsPerDay: null, paidUnits: null, creditUnits: null }, LIMITS);
/** A request for one video. */
export const clip = (): CreateJobRequest => request({ type: "video", tasks: taskIds(1, "mp4") });
/** A refusal's code; null if there is none. */
export const codeOf = (refusal: ServiceError | null): string | null => refusal?.code ?? null;
