import { invalidInput, messageOf, SegmentationError } from "../errors.ts";
import type { CallOptions, ClientOptions, RequestOptions } from "../options.ts";
import { checked } from "./check-options.ts";
import { addressOf, credentialOf, headersOf } from "./credential.ts";
import { Exchange } from "./exchange.ts";
import { readJson, unreadable } from "./read.ts";
import { redirection, refusal, storageRefusal } from "./refusal.ts";
import { persist, type Patience } from "./retry.ts";
import { can, isObject, isResponse } from "./shapes.ts";
import { parseUrl } from "./url.ts";

/** One request to the service. */
export interface ApiRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: object | undefined;
  /** True if a success has no body. */
  readonly isEmpty: boolean;
}

/** An answer, with the response that it came in. */
export interface Answered<T> {
  readonly data: T;
  readonly response: Response;
}

/** Reads a body; calls `alive` with each piece. */
export type Read<T> = (response: Response, alive: () => void) => Promise<T>;

/** Sends requests to the service and to its storage: credentials, time limits, repetitions. */
export class Connection implements Patience {
  readonly maxRetries: number;
  readonly retryDelayMs: number;
  readonly parallel: number;
  readonly timeoutMs: number;
  /**
   * True if requests may have streams and Blobs for bodies. node-fetch, recognized by its responses, would send the
   * names of their classes instead.
   */
  takesStreams = true;
  /** The caller's own `fetch`. */
  readonly #fetch: typeof fetch | undefined;
  readonly #baseUrl: string;
  readonly #credential: () => Promise<string>;

  /** @throws SegmentationError `invalid_input` if there is no address or no credential, or an unusable option */
  constructor(options: ClientOptions) {
    checked(options);
    this.#baseUrl = addressOf(options);
    this.#credential = credentialOf(options);
    this.#fetch = options.fetch;
    this.timeoutMs = options.timeoutMs ?? 60_000;
    this.maxRetries = options.maxRetries ?? 5;
    this.retryDelayMs = options.retryDelayMs ?? 500;
    this.parallel = options.parallel ?? 6;
  }

  /** @throws SegmentationError `invalid_input` if `fetch` is not a function, and the network's errors */
  async fetch(url: string, init: RequestInit): Promise<Response> {
    // The platform's `fetch` fails with another `this`.
    const fetch = this.#fetch ?? globalThis.fetch;
    if (typeof fetch !== "function") throw invalidInput("This platform has no fetch. Give the client one.");
    const response = await fetch(url, init);
    if (!isResponse(response)) throw invalidInput("The client's fetch did not return a Response.");
    if (response.bodyUsed)
      throw invalidInput("The client's fetch has read the response. Let it read response.clone().");
    if (isObject(response.body) && !can(response.body, "getReader")) this.takesStreams = false;
    return response;
  }

  /** Asks the service once, and gives its success unread. @throws SegmentationError if it refuses */
  async open(
    { method, path, body }: ApiRequest,
    options: RequestOptions,
    exchange: Exchange,
  ): Promise<Response> {
    // A source of tokens may hang, and its errors pass through unchanged.
    const credential = await exchange.unlessOver(this.#credential());
    const headers = headersOf(
      { "idempotency-key": options.idempotencyKey || undefined },
      options.headers ?? {},
      { authorization: `Bearer ${credential}`, "content-type": body && "application/json" },
    );
    const { signal } = exchange;
    const content = body === undefined ? null : jsonOf(body);
    // A POST that follows a redirect becomes a GET, and loses its credential on another host.
    const init = { method, headers, body: content, redirect: "manual", signal } as const;
    const response = await exchange.within(this.fetch(this.#baseUrl + path, init));
    const redirected = redirection(response, this.#baseUrl, path);
    if (redirected !== undefined) throw redirected;
    if (!response.ok) throw await exchange.within(refusal(response));
    return response;
  }

  /** Asks the service, and repeats after temporary failures: a POST with one Idempotency-Key takes effect once. */
  async ask<T>(request: ApiRequest, options: RequestOptions = {}): Promise<Answered<T>> {
    checked(options);
    const idempotencyKey =
      options.idempotencyKey || (request.method === "POST" ? crypto.randomUUID() : undefined);
    const attempt = (failures: number): Promise<Answered<T>> =>
      this.exchange(options, async (exchange) => {
        try {
          const response = await this.open(request, { ...options, idempotencyKey }, exchange);
          return { response, data: await exchange.within(answerOf<T>(request, response)) };
        } catch (error) {
          // The first answer was lost, and the resource is gone now.
          if (failures === 0 || !isGone(request, error)) throw error;
          const response = new Response(null, { status: 204 });
          return { response, data: await answerOf<T>(request, response) };
        }
      });
    return await persist(this, options, attempt);
  }

  /** Downloads a URL, and repeats after temporary failures. @throws SegmentationError */
  async download<T>(url: string, read: Read<T>, options: CallOptions = {}): Promise<T> {
    checked(options);
    if (!/^(?:https?|data|blob):$/.test(parseUrl(url)?.protocol ?? ""))
      throw invalidInput(`${url} is not a URL that can be downloaded.`);
    const attempt = (): Promise<T> =>
      this.exchange(options, async (exchange) => {
        const response = await exchange.within(this.fetch(url, { signal: exchange.signal }));
        if (!response.ok) throw await exchange.within(storageRefusal(response));
        return await exchange.within(read(response, exchange.alive), unwritten);
      });
    return await persist(this, options, attempt);
  }

  /** Runs one request within its time limit. */
  async exchange<T>(
    { timeoutMs = this.timeoutMs, signal }: CallOptions,
    use: (exchange: Exchange) => Promise<T>,
  ): Promise<T> {
    const exchange = new Exchange(timeoutMs, signal);
    try {
      return await use(exchange);
    } finally {
      exchange.close();
    }
  }
}

/** A body as JSON. @throws SegmentationError `invalid_input` if a value has no JSON */
export function jsonOf(body: object): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw invalidInput(`The request cannot be written as JSON: ${messageOf(cause)}.`, { cause });
  }
}

/** An operation's answer: an object, unless its contract has none. @throws SegmentationError `unreadable_answer` */
async function answerOf<T>({ isEmpty }: ApiRequest, response: Response): Promise<T> {
  const data = await readJson<T>(response);
  if (!isEmpty && !isObject(data)) throw unreadable(response, "is not an object");
  return data;
}

/** A disk is full, a folder does not exist: another attempt would fail, too. */
const unwritten = (cause: unknown): SegmentationError =>
  invalidInput(`The downloaded file cannot be written: ${messageOf(cause)}.`, { cause });

/** True if an operation without an answer finds nothing to do. */
const isGone = ({ isEmpty }: ApiRequest, error: unknown): boolean =>
  isEmpty && error instanceof SegmentationError && error.status === 404;
