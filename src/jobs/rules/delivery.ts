import { refusalDelay, resendDelay, retryDelay, type JobPolicy } from "./policy.ts";

/** The position of a piece of work on its way through a queue that may deliver it twice, late, or never. */
export type PendingStep =
  /** Goes into the queue at `notBefore`. */
  | { readonly at: "waiting"; readonly notBefore: number }
  /** In the queue; at `resendAt` the message counts as lost and is sent again. */
  | { readonly at: "sent"; readonly resendAt: number }
  /** Held by one consumer until `deadline`; `lease` is the fencing token. */
  | { readonly at: "leased"; readonly lease: number; readonly deadline: number };

/** A piece of work: pending, or ended as one of `End`. */
export interface Delivery<End extends { readonly at: string }> {
  readonly step: PendingStep | End;
  /** Claims that were not handed back; they count toward the limit. */
  readonly attempts: number;
  /** Messages since the last claim; each lengthens the wait for the next. */
  readonly sends: number;
  /** Number of consecutive refusals for lack of room; each lengthens the wait for the next offer. */
  readonly refusals: number;
}

type AnyDelivery = Delivery<{ readonly at: string }>;

/** Work that may be sent at once. */
export const newDelivery = (now: number) =>
  ({ step: { at: "waiting", notBefore: now }, attempts: 0, sends: 0, refusals: 0 }) as const;

const isPending = (step: { readonly at: string }): step is PendingStep =>
  step.at === "waiting" || step.at === "sent" || step.at === "leased";

const pending = ({ step }: AnyDelivery): PendingStep | null => (isPending(step) ? step : null);

/**
 * Returns true if the work occupies a place in the window: it is in the queue, held, or was refused and waits. Without the last
 * case, a busy service would be offered all the other work meanwhile.
 */
export const takesPlace = (work: AnyDelivery, now: number): boolean =>
  work.step.at === "sent" ||
  work.step.at === "leased" ||
  (pending(work)?.at === "waiting" && !isDue(work, now));

/** Returns true if this lease of the work is in force. After its deadline it stays in force until the work is taken back. */
export const isHeldBy = (work: AnyDelivery, lease: number): boolean => {
  const step = pending(work);
  return step?.at === "leased" && step.lease === lease;
};

/** Returns the time at which the work next needs attention; null once it has ended. */
export function wakeTime(work: AnyDelivery): number | null {
  const step = pending(work);
  switch (step?.at) {
    case undefined:
      return null;
    case "waiting":
      return step.notBefore;
    case "sent":
      return step.resendAt;
    case "leased":
      return step.deadline;
  }
}

/** Returns true if a message for the work is due: its time has come, or the last message counts as lost. */
export const isDue = (work: AnyDelivery, now: number): boolean =>
  (work.step.at === "waiting" || work.step.at === "sent") && (wakeTime(work) ?? Infinity) <= now;

/** The work with one more message sent. */
export const sent = <Work extends AnyDelivery>(work: Work, policy: JobPolicy, now: number): Work => ({
  ...work,
  step: { at: "sent", resendAt: now + resendDelay(policy, work.sends) },
  sends: work.sends + 1,
});

/** The work waiting again, for `delayMs`. */
const postponed = <Work extends AnyDelivery>(work: Work, delayMs: number, now: number): Work => ({
  ...work,
  step: { at: "waiting", notBefore: now + delayMs },
});

/** The work with a new holder; null if it has ended or already has one. */
export function claimed<Work extends AnyDelivery>(
  work: Work,
  lease: number,
  policy: JobPolicy,
  now: number,
): Work | null {
  const step = pending(work);
  if (step === null || step.at === "leased") return null;
  return {
    ...work,
    step: { at: "leased", lease, deadline: now + policy.leaseMs },
    attempts: work.attempts + 1,
    sends: 0,
  };
}

/** The work with a later deadline; only for its holder. */
export const extended = <Work extends AnyDelivery>(
  work: Work,
  lease: number,
  policy: JobPolicy,
  now: number,
): Work => ({ ...work, step: { at: "leased", lease, deadline: now + policy.leaseMs }, refusals: 0 });

/** The work handed back untried: back-pressure uses up no attempt, and its delay (`refusalDelay`) grows while it lasts. */
export const handedBack = <Work extends AnyDelivery>(
  work: Work,
  askedMs: number,
  random: number,
  now: number,
): Work => ({
  ...postponed(work, refusalDelay(work.refusals, askedMs, random), now),
  attempts: work.attempts - 1,
  refusals: work.refusals + 1,
});

/** The work of a holder that has made progress: its attempts start over, with this holder's as the first. */
export const advanced = <Work extends AnyDelivery>(work: Work): Work => ({ ...work, attempts: 1 });

/** The work half done, for the next holder to continue at once. No attempt is used up. */
export const passedOn = <Work extends AnyDelivery>(work: Work, now: number): Work => ({
  ...postponed(work, 0, now),
  attempts: work.attempts - 1,
});

/** The work after a failed attempt: it waits for the next one; null if none is left. */
export const retried = <Work extends AnyDelivery>(work: Work, policy: JobPolicy, now: number): Work | null =>
  work.attempts >= policy.maxAttempts ? null : postponed(work, retryDelay(work.attempts), now);

/** Returns true if the holder's deadline has passed. */
export const isExpired = (work: AnyDelivery, now: number): boolean =>
  work.step.at === "leased" && (wakeTime(work) ?? Infinity) <= now;
