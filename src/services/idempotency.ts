import type { z } from "zod";
import { ServiceError } from "../core/errors.ts";
import { fingerprintOf } from "../core/fingerprint.ts";
import { log, reasonOf } from "../core/log.ts";
import { seal, unseal } from "../core/sealed.ts";
import type { RequestName } from "../stores/idempotency.ts";
import type { Platform } from "../platform.ts";

/** A request that may come again; without a key it is taken for another each time. `body` is the validated one. */
export interface RepeatableRequest {
  readonly accountId: string;
  /** The operation's name in the specification. */
  readonly operation: string;
  readonly key: string | undefined;
  readonly body: unknown;
}

/** What a run gives: its own answer, and the one that a repetition is shown. */
export interface Outcome<T> {
  readonly answer: T;
  readonly remembered: T;
}

/** An answer, and whether it is an earlier request's. */
export interface Once<T> {
  readonly answer: T;
  readonly replayed: boolean;
}

/**
 * Makes sure that a run still has its key, and has it for another lease: to be called before the run undoes anything, since
 * one that was too slow would undo what the next has made.
 * @throws ServiceError idempotency_in_progress where another run has taken the key over.
 */
export type HoldKey = () => Promise<void>;

/** An operation takes a second or less; only after a crash does the key stay taken for the whole of its lease. */
const RETRY_SECONDS = 2;

/**
 * Runs a request once, however often it comes within 24 hours: a repetition gets the first answer.
 *
 * `run` makes what has the id `effectId`. After a crash, or a failure that nobody foresaw, the next repetition runs again
 * with the same effectId: `run` must find what is made already and answer for it. A ServiceError says that nothing was left
 * behind: the key is free again, and the next run has a new effectId.
 *
 * @param newEffectId makes the id, for a request that is new
 * @param schema of the answer; the remembered one is stored sealed, and read by it
 * @throws ServiceError idempotency_mismatch, idempotency_in_progress, and whatever `run` throws.
 */
export async function once<T>(
  platform: Platform,
  request: RepeatableRequest,
  newEffectId: () => string,
  schema: z.ZodType<T>,
  run: (effectId: string, holdKey: HoldKey) => Promise<Outcome<T>>,
): Promise<Once<T>> {
  const { accountId, operation, key, body } = request;
  if (key === undefined) {
    const { answer } = await run(newEffectId(), () => Promise.resolve());
    return { answer, replayed: false };
  }

  const name: RequestName = { accountId, operation, key };
  const purpose = JSON.stringify(["idempotent answer", accountId, operation, key]);
  const secret = platform.settings.SIGNING_SECRET;
  const lease = crypto.randomUUID();
  const claim = { fingerprint: await fingerprintOf(body), effectId: newEffectId(), lease };
  const known = await platform.idempotency.claim(name, claim, Date.now());

  if (known.lease === lease) {
    const holdKey = async () => {
      if (!(await platform.idempotency.renew(name, lease, Date.now()))) throw inProgress();
    };
    const { answer, remembered } = await attempt(platform, name, lease, () => run(known.effectId, holdKey));
    try {
      const sealed = await seal(secret, purpose, JSON.stringify(remembered));
      await platform.idempotency.complete(name, lease, sealed);
    } catch (error) {
      // The effect is there, and so is its answer: a repetition runs again, after this lease, and finds it.
      log("error", "answer_not_remembered", { account: accountId, operation, reason: reasonOf(error) });
    }
    return { answer, replayed: false };
  }
  if (known.fingerprint !== claim.fingerprint) throw new ServiceError("idempotency_mismatch");
  if (known.answer === null) throw inProgress();
  const text = await unseal(secret, purpose, known.answer);
  if (text === null) {
    // The operator has changed the secret since.
    throw new ServiceError(
      "idempotency_mismatch",
      "The service can no longer read its answer to the first request with this Idempotency-Key. Use a new key.",
    );
  }
  return { answer: schema.parse(JSON.parse(text)), replayed: true };
}

const inProgress = (): ServiceError =>
  new ServiceError("idempotency_in_progress", undefined, { retryAfterSeconds: RETRY_SECONDS });

/** Runs; a run that fails gives its key up. */
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
      // The lease runs out by itself.
      log("error", "idempotency_key_kept", { operation: name.operation, reason: reasonOf(failure) });
    }
    throw error;
  }
}
