/** One inference: sends the request, repeats it where that is safe, and reads the answer. */
import { problemOf } from "@segmentation/protocol";
import type { Usage } from "../../device/usage.ts";
import { reasonOf } from "../../errors.ts";
import { ModelUnavailable, taskFailure, TaskFailure } from "../../failures.ts";
import { AnswerTooLong, backoffMs, discard, pause, readBytes } from "../../http-client.ts";
import type { Semaphore } from "../../semaphore.ts";
import { type Asked, type RequestBody, writeRequest } from "./request.ts";
import { answerBytes, type Outputs, readOutputs, WrongAnswer } from "./response.ts";
import { adviceFor, type ModelServer, wasReached } from "./server.ts";

/** The time for which a request is repeated while the server has no room or can't be reached. */
export const PATIENCE_MS = 30_000;

/**
 * The time during which an abandoned request keeps its connection and its place, unless the server answers sooner.
 * Triton's HTTP front end doesn't notice a closed connection, so only its answer shows that it has room again.
 */
export const LINGER_MS = 30_000;

export interface InferenceOptions {
  readonly server: ModelServer;
  readonly semaphore: Semaphore;
  /** The most objects of an answer, without its regions. */
  readonly most: number;
  readonly patienceMs: number;
  readonly lingerMs: number;
}

/** The outcome of one attempt that is not a failure of the task. */
type Attempt =
  | { readonly outputs: Outputs }
  /** The server did not begin, so another attempt costs nothing. */
  | { readonly refused: string; readonly retryAfterMs?: number }
  /** The connection broke: the server may have worked on the request, and may have died of it. */
  | { readonly broken: string };

/**
 * Waits for a place at the server, asks, and reads the answer. An inference changes nothing at the server, so it may be
 * repeated: for up to `patienceMs` if the server refused it, and once if the connection broke in the meantime.
 * @param ask is called once a place is free, and returns the request
 * @param usage counts the waiting and each attempt; its signal cancels everything. A request that is canceled or times
 * out keeps its place for at most `lingerMs`, until the server answers
 * @throws TaskFailure; ModelUnavailable if the server takes no work; the signal's reason
 */
export async function infer(
  { server, semaphore, most, patienceMs, lingerMs }: InferenceOptions,
  ask: () => Asked,
  usage: Usage,
): Promise<Outputs> {
  const place = await usage.waiting(() => semaphore.acquire(usage.signal));
  let request: Promise<unknown> = Promise.resolve();
  try {
    const asked = ask();
    const body = writeRequest(asked);
    const send = (late: AbortSignal): Promise<Attempt> => {
      const sent = tryOnce(server, asked, body, most, late);
      request = sent;
      return sent;
    };
    const end = performance.now() + patienceMs;
    let broken: string | undefined;
    for (let attempt = 0; ; attempt += 1) {
      const result = await timed(usage, () => outlived(usage.signal, asked.timeoutMs, lingerMs, send));
      if ("outputs" in result) return result.outputs;
      if ("broken" in result && broken !== undefined) throw crashed(result.broken);
      if ("broken" in result) broken = result.broken;
      const retryAfterMs = "refused" in result ? result.retryAfterMs : undefined;
      const delay = retryAfterMs ?? backoffMs(attempt);
      if (performance.now() + delay > end) {
        // A task that was there when the server died may be the reason: it loses an attempt, which ends it some day.
        if (broken !== undefined) throw crashed(broken);
        throw new ModelUnavailable("refused" in result ? result.refused : "");
      }
      await usage.waiting(() => pause(delay, usage.signal));
    }
  } finally {
    // The place is free once the server is, which may be later.
    const free = (): void => place[Symbol.dispose]();
    void request.then(free, free);
  }
}

/**
 * Runs work that continues for a while after its task is canceled or `timeoutMs` are over.
 * @param work gets a signal that aborts `lingerMs` milliseconds later
 * @throws the task's signal's reason as soon as that aborts; TaskFailure after the timeout
 */
function outlived<T>(
  signal: AbortSignal | undefined,
  timeoutMs: number,
  lingerMs: number,
  work: (late: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const late = new AbortController();
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const giveUp = (reason: unknown): void => {
    settle();
    timer = setTimeout(() => late.abort(reason), lingerMs);
    reject(reason);
  };
  const cancel = (): void => giveUp(signal?.reason);
  const settle = (): void => {
    signal?.removeEventListener("abort", cancel);
    clearTimeout(timer);
  };
  const expire = (): void => giveUp(taskFailure("engine_timeout", { seconds: timeoutMs / 1_000 }));
  let timer = setTimeout(expire, timeoutMs);
  signal?.addEventListener("abort", cancel);
  return Promise.race([work(late.signal).finally(settle), givenUp]);
}

async function tryOnce(
  server: ModelServer,
  { task, regions = [] }: Asked,
  { bytes, headerBytes }: RequestBody,
  mostFound: number,
  signal: AbortSignal,
): Promise<Attempt> {
  const most = mostFound + regions.length;
  try {
    const answer = await server.infer(bytes, headerBytes, signal);
    if (answer.status !== 200) return await notOk(server, answer);
    const { buffer, byteOffset, byteLength } = await readBytes(answer, answerBytes(most));
    const header = answer.headers.get("inference-header-content-length");
    const read = new Uint8Array(buffer, byteOffset, byteLength);
    return { outputs: readOutputs(read, header, task?.key, most) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AnswerTooLong || error instanceof WrongAnswer) throw invalid(error);
    if (error instanceof TaskFailure || error instanceof ModelUnavailable) throw error;
    const reason = `${server.name} did not answer (${reasonOf(error)}).`;
    return wasReached(error) ? { broken: reason } : { refused: reason };
  }
}

/** @throws TaskFailure if the server can't answer this request; ModelUnavailable if the operator has to act */
async function notOk(server: ModelServer, answer: Response): Promise<Attempt> {
  const { status } = answer;
  if (status === 429 || status === 503) {
    const retryAfterMs = retryAfter(answer);
    await discard(answer);
    const refused = `${server.name} has no room (${status}).`;
    return { refused, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
  const reason = `${server.name} answered ${status}: ${await server.said(answer)}`;
  // Triton's Python backend reports a model's dead process, which this request may have killed: "Stub process … is not
  // healthy."
  const died = status === 500 && reason.includes("Stub process");
  if (died || status === 502 || status === 504) return { broken: reason };
  const advice = adviceFor(status);
  if (advice !== "") throw new ModelUnavailable(`${reason}${advice}`);
  throw new TaskFailure(problemOf("internal_error"), reason);
}

/** The failure of a task with an impossible result of the model; its cause, for the log, has the reason. */
export function invalid(error: Error): TaskFailure {
  return new TaskFailure(problemOf("model_output_invalid"), error.message);
}

function crashed(reason: string): TaskFailure {
  return new TaskFailure(problemOf("engine_crashed"), reason);
}

/** Milliseconds of the header Retry-After, in seconds or as a date (RFC 9110, section 10.2.3). */
function retryAfter({ headers }: Response): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? 1_000 * Number(text) : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Runs the work while the usage counts it as the model's. */
async function timed<T>(usage: Usage, work: () => Promise<T>): Promise<T> {
  usage.asked();
  usage.began();
  const begun = performance.now();
  try {
    return await work();
  } finally {
    usage.ended(performance.now() - begun);
  }
}
