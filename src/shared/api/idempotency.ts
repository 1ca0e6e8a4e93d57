import type { z } from "zod";
import { ServiceError } from "../errors.ts";
import { fingerprintOf } from "../digest.ts";
import { log, reasonOf } from "../log.ts";
import { seal, unseal } from "../sealed.ts";
import type { KeyClaim, RequestName, RequestRecord } from "../storage/idempotency-keys.ts";
import { ask } from "../storage/d1-store.ts";
import type { Platform } from "../../platform.ts";
import { secretsOf } from "../../feature-settings.ts";

/** A request that may be repeated; without a key each repetition is a new request. `body` is the validated body. */
export interface RepeatableRequest {
  readonly accountId: string;
  /** The operation's name in the specification. */
  readonly operation: string;
  readonly key: string | undefined;
  readonly body: unknown;
}

/** The result of a run: its answer, and the answer for a repetition. */
export interface Outcome<T> {
  readonly answer: T;
  readonly remembered: T;
}

/** An answer, and whether it repeats the answer of an earlier request. */
export interface Once<T> {
  readonly answer: T;
  readonly replayed: boolean;
}

/** Returns true for an answer of `once`; no other answer has a field of this name. */
export const isOnce = (answer: object): answer is Once<object> => "replayed" in answer;

/** A run's hold on its request's key; does nothing without a key. */
export interface HeldKey<T> {
  /**
   * Checks that a run still has its key, renews its lease, and withdraws the answer that `remember` kept. A run calls it before
   * it undoes anything: otherwise a slow run would undo the work of the next one.
   * @throws ServiceError idempotency_in_progress if another run has taken the key over.
   */
  readonly hold: () => Promise<void>;
  /** Keeps an answer, in the batch that lists its job: returns the statements for that batch. */
  readonly remember: (answer: T) => Promise<readonly D1PreparedStatement[]>;
}

/** An operation takes a second or less; only after a crash does the key stay taken for its whole lease. */
const RETRY_SECONDS = 2;

/** Claims a request's key for a run whose effect has the id `effectId`; null for a request without a key. */
export const claimOf = async (
  { accountId, operation, key, body }: RepeatableRequest,
  effectId: string,
): Promise<KeyClaim | null> =>
  key === undefined
    ? null
    : {
        name: { accountId, operation, key },
        claim: { fingerprint: await fingerprintOf(body), effectId, lease: crypto.randomUUID() },
      };

/**
 * Runs a request once within 24 hours: a repetition gets the first answer.
 *
 * `run` creates the effect with the id `effectId`. After a crash or an unforeseen failure, the next repetition runs again with
 * the same effectId, and `run` has to find the existing effect and return its answer. A ServiceError means that nothing was left
 * behind: the key is free again, and the next run has a new effectId.
 *
 * @param newEffectId makes the id for a new request
 * @param schema the answer's, which reads the remembered answer, stored sealed
 * @throws ServiceError idempotency_mismatch, idempotency_in_progress, and any error of `run`.
 */
export async function once<T>(
  platform: Platform,
  request: RepeatableRequest,
  newEffectId: () => string,
  schema: z.ZodType<T>,
  run: (effectId: string) => Promise<Outcome<T>>,
): Promise<Once<T>> {
  const effectId = newEffectId();
  const claim = await claimOf(request, effectId);
  if (claim === null) return { answer: (await run(effectId)).answer, replayed: false };
  const { idempotency, accounts } = platform;
  const known = await ask(accounts.open, idempotency.claim(claim, Date.now()));
  return runClaimed(platform, claim, known, schema, { run, stands: () => Promise.resolve(true) });
}

/** The steps for a claimed key. */
export interface ClaimedRun<T> {
  readonly run: (effectId: string, key: HeldKey<T>) => Promise<Outcome<T>>;
  /** Returns true if the effect exists whose answer an earlier run kept, before its unknown end. */
  readonly stands: (effectId: string, key: HeldKey<T>) => Promise<boolean>;
}

/** Like `once`, for a key with a known outcome of the claim. @throws ServiceError as `once`. */
export async function runClaimed<T>(
  platform: Platform,
  { name, claim }: KeyClaim,
  known: RequestRecord,
  schema: z.ZodType<T>,
  { run, stands }: ClaimedRun<T>,
): Promise<Once<T>> {
  const { accountId, operation, key } = name;
  const purpose = JSON.stringify(["idempotent answer", accountId, operation, key]);
  const secrets = secretsOf(platform.settings);
  const sealed = (answer: T) => seal(secrets, purpose, JSON.stringify(answer));
  const { lease } = claim;
  const isClaimed = known.lease === lease;
  let kept: T | undefined;
  const held: HeldKey<T> = {
    hold: async () => {
      if (!(await platform.idempotency.renew(name, lease, Date.now()))) throw inProgress();
    },
    remember: async (answer) => {
      kept = answer;
      return [platform.idempotency.completeWithJob(name, lease, await sealed(answer))];
    },
  };

  if (isClaimed && (known.answer === null || !(await stands(known.effectId, held)))) {
    const { answer, remembered } = await attempt(platform, name, lease, () => run(known.effectId, held));
    try {
      if (JSON.stringify(kept) !== JSON.stringify(remembered))
        await platform.idempotency.complete(name, lease, await sealed(remembered));
    } catch (error) {
      // The effect exists, and this answer is right: a repetition runs again after this lease and finds the effect.
      log("error", "answer_not_remembered", { account: accountId, operation, reason: reasonOf(error) });
    }
    return { answer, replayed: false };
  }
  if (known.fingerprint !== claim.fingerprint) throw new ServiceError("idempotency_mismatch");
  if (known.answer === null) throw inProgress();
  const text = await unseal(secrets, purpose, known.answer);
  if (text === null) {
    // The operator has changed the service's secret since, without keeping the previous one.
    throw new ServiceError(
      "idempotency_mismatch",
      "The service can no longer read its answer to the first request with this Idempotency-Key. Use a new key.",
    );
  }
  return { answer: schema.parse(JSON.parse(text)), replayed: true };
}

const inProgress = (): ServiceError =>
  new ServiceError("idempotency_in_progress", undefined, { retryAfterSeconds: RETRY_SECONDS });

/** Runs the request. A run that fails gives up its key. */
async function attempt<T>(
  platform: Platform,
  name: RequestName,
  lease: string,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    try {
      if (error instanceof ServiceError) await platform.idempotency.forget(name, lease);
      else await platform.idempotency.release(name, lease);
    } catch (failure) {
      // The lease expires without further action.
      log("error", "idempotency_key_kept", { operation: name.operation, reason: reasonOf(failure) });
    }
    throw error;
  }
}
