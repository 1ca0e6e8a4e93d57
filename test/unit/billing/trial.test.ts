import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  trialAt,
  trialLength,
  trialRefusal,
  trialWith,
  type Trial,
  type TrialOffer,
} from "../../../src/billing/rules/trial.ts";

const BEGIN = 1_800_000_000_000;
const anyOffer: fc.Arbitrary<TrialOffer> = fc.record({
  version: fc.constant("v1"),
  tokens: fc.integer({ min: 1, max: 1_000 }),
  days: fc.integer({ min: 1, max: 365 }),
});
const anyUse = fc.record({ usedTokens: fc.nat(1_200), startedAt: fc.constantFrom(null, BEGIN) });
const anyTime = fc.integer({ min: 0, max: 400 * 86_400_000 }).map((ms) => BEGIN + ms);

/** Every possible trial, at any time. */
const everyTrial = (inspection: (trial: Trial, offer: TrialOffer, now: number) => void) =>
  fc.assert(
    fc.property(anyOffer, anyUse, anyTime, (offer, use, now) => {
      inspection(trialAt(offer, use, now), offer, now);
    }),
    { numRuns: 2_000 },
  );

describe("a trial", () => {
  it("always splits its grant into consumed and remaining units", () => {
    everyTrial((trial, offer) => {
      expect(trial.consumedTokens + trial.remainingTokens).toBe(offer.tokens);
      expect(Math.min(trial.consumedTokens, trial.remainingTokens)).toBeGreaterThanOrEqual(0);
    });
  });

  it("is eligible until its first job, and then ends exactly on time, even with tokens left [4.3-33]", () => {
    everyTrial((trial, offer, now) => {
      expect(trial.status === "eligible").toBe(trial.startedAt === null);
      expect(trial.expiresAt).toBe(trial.startedAt === null ? null : BEGIN + trialLength(offer));
      expect(trial.status === "expired").toBe(trial.expiresAt !== null && now >= trial.expiresAt);
    });
    const offer = { version: "v1", tokens: 100, days: 14 };
    const at = (now: number) => trialAt(offer, { usedTokens: 1, startedAt: BEGIN }, now).status;
    const end = BEGIN + 14 * 86_400_000;
    expect([at(end - 1), at(end)]).toEqual(["active", "expired"]);
  });

  it("begins with its first job, and each job uses its tokens", () => {
    const first = trialWith({ usedTokens: 0, startedAt: null }, 3, BEGIN);
    expect(first).toEqual({ usedTokens: 3, startedAt: BEGIN });
    expect(trialWith(first, 4, BEGIN + 1)).toEqual({ usedTokens: 7, startedAt: BEGIN });
  });

  it("is active as long as tokens are left, and exhausted with its last", () => {
    const offer = { version: "v1", tokens: 100, days: 14 };
    const after = (usedTokens: number) => trialAt(offer, { usedTokens, startedAt: BEGIN }, BEGIN);
    expect([0, 99, 100, 101].map((used) => after(used).status)).toEqual([
      "active",
      "active",
      "exhausted",
      "exhausted",
    ]);
  });

  it("pays for a job exactly when it has not expired and has the tokens, and never pays more than its grant", () => {
    everyTrial((trial, offer) => {
      for (const tokens of [1, trial.remainingTokens, trial.remainingTokens + 1, offer.tokens + 1]) {
        if (tokens < 1) continue;
        const pays = trial.status !== "expired" && tokens <= trial.remainingTokens;
        expect(trialRefusal(trial, tokens) === null).toBe(pays);
        if (pays) expect(trial.consumedTokens + tokens).toBeLessThanOrEqual(offer.tokens);
      }
    });
  });

  it("lets a job that costs nothing through until it has expired", () => {
    everyTrial((trial) => {
      expect(trialRefusal(trial, 0)).toBe(trial.status === "expired" ? "trial_expired" : null);
    });
  });

  it("gives the reason for a refusal: its end first, then no tokens, then too few", () => {
    everyTrial((trial, offer) => {
      const refusal = trialRefusal(trial, offer.tokens + 1);
      if (trial.status === "expired") expect(refusal).toBe("trial_expired");
      else expect(refusal).toBe(trial.remainingTokens === 0 ? "trial_exhausted" : "trial_insufficient");
    });
  });
});
