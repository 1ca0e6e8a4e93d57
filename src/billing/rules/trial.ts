import type { TrialStatus } from "../contract/billing.ts";

/** The free trial as the operator offers it. */
export interface TrialOffer {
  readonly version: string;
  readonly tokens: number;
  readonly days: number;
}

/** The ledger's record of an account's trial: tokens reserved or settled, and the time of its first accepted job. */
export interface TrialUse {
  readonly usedTokens: number;
  /** Epoch milliseconds; null before the first accepted job. */
  readonly startedAt: number | null;
}

/** Returns the use of a trial after a job with these tokens, created at `at` (epoch ms), is accepted. */
export const trialWith = ({ usedTokens, startedAt }: TrialUse, tokens: number, at: number): TrialUse => ({
  usedTokens: usedTokens + tokens,
  startedAt: startedAt ?? at,
});

/** The state of a trial at some time; times are epoch milliseconds. */
export interface Trial {
  readonly status: TrialStatus;
  readonly consumedTokens: number;
  readonly remainingTokens: number;
  readonly startedAt: number | null;
  readonly expiresAt: number | null;
}

const DAY_MS = 86_400_000;

/** Returns the length of a trial, in milliseconds. */
export const trialLength = (offer: TrialOffer): number => offer.days * DAY_MS;

/** A trial's state at `now`: it begins with the first accepted job, and ends after its days or with its last token. */
export function trialAt(offer: TrialOffer, use: TrialUse, now: number): Trial {
  const expiresAt = use.startedAt === null ? null : use.startedAt + trialLength(offer);
  const consumedTokens = Math.min(use.usedTokens, offer.tokens);
  const remainingTokens = offer.tokens - consumedTokens;
  const status = statusOf(expiresAt, remainingTokens, now);
  return { status, consumedTokens, remainingTokens, startedAt: use.startedAt, expiresAt };
}

function statusOf(expiresAt: number | null, remainingTokens: number, now: number): TrialStatus {
  if (expiresAt === null) return "eligible";
  if (now >= expiresAt) return "expired";
  return remainingTokens > 0 ? "active" : "exhausted";
}

/** The reasons why a trial can't pay for a job. */
export type TrialRefusal = "trial_expired" | "trial_exhausted" | "trial_insufficient";

/**
 * Returns why this trial can't pay for `tokens`; null if it can. A free job needs no tokens, but a trial that has not expired.
 */
export function trialRefusal(trial: Trial, tokens: number): TrialRefusal | null {
  if (trial.status === "expired") return "trial_expired";
  if (trial.remainingTokens === 0 && tokens > 0) return "trial_exhausted";
  return tokens > trial.remainingTokens ? "trial_insufficient" : null;
}

/** Speed of the trial lane: number of tasks that ended, and the milliseconds in which the lane was never empty. */
export interface LanePace {
  readonly endedTasks: number;
  readonly busyMs: number;
}
