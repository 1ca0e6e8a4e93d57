import {
  type Completion,
  LeaseExtension,
  OutputsGrant,
  type OutputsRequest,
  type ProgressReport,
} from "@segmentation/protocol";
import { backoffMs, discard, isTransient, Patience, pause, readText, within } from "../http-client.ts";

const TIMEOUT_MS = 10_000;
/** A grant for twenty thousand files, a mask and a cut-out each, with long signed URLs has some 20 MB. */
const ANSWER_BYTES = 33_554_432;

/** The Worker refused a report: the lease is lost (409), or the token or the body was not accepted. */
export class CallbackRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The Worker refused the callback with status ${status}.`);
    this.name = "CallbackRefused";
    this.status = status;
  }
}

/** Reports on one lease to the Worker, by the protocol. */
export class Callback {
  readonly #url: string;
  readonly #token: string;
  readonly #patienceMs: number;

  /** @param patienceMs the longest time for which a report is repeated: a longer fault is not transient */
  constructor(url: string, token: string, patienceMs: number) {
    this.#url = url;
    this.#token = token;
    this.#patienceMs = patienceMs;
  }

  /** Reports progress once; returns the lease's new deadline. @throws CallbackRefused; Error if the Worker can't be reached */
  async progress(report: ProgressReport): Promise<number> {
    const answer = await this.#post("progress", report, new AbortController().signal);
    return LeaseExtension.parse(JSON.parse(answer)).deadline;
  }

  /** Requests signed PUTs. Retries until the lease or the patience ends. @throws as `progress` */
  async outputs(
    request: OutputsRequest,
    lease: { readonly deadline: number },
    signal: AbortSignal,
  ): Promise<OutputsGrant> {
    return OutputsGrant.parse(JSON.parse(await this.#postUntil("outputs", request, lease, signal)));
  }

  /** Reports the end. Retries until the lease or the patience ends. @throws as `progress` */
  async complete(
    completion: Completion,
    lease: { readonly deadline: number },
    signal: AbortSignal,
  ): Promise<void> {
    await this.#postUntil("complete", completion, lease, signal);
  }

  async #postUntil(
    path: string,
    body: unknown,
    lease: { readonly deadline: number },
    signal: AbortSignal,
  ): Promise<string> {
    const patience = new Patience(this.#patienceMs, lease);
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#post(path, body, signal);
      } catch (error) {
        signal.throwIfAborted();
        const delay = backoffMs(attempt);
        if (error instanceof CallbackRefused || patience.isOverIn(delay)) throw error;
        await pause(delay, signal);
      }
    }
  }

  async #post(path: string, body: unknown, signal: AbortSignal): Promise<string> {
    const response = await fetch(`${this.#url}/${path}`, {
      method: "POST",
      redirect: "manual",
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: within(TIMEOUT_MS, signal),
    });
    if (response.ok) return readText(response, ANSWER_BYTES);
    await discard(response);
    if (isTransient(response.status))
      throw new Error(`The Worker answered the callback with status ${response.status}.`);
    throw new CallbackRefused(response.status);
  }
}
