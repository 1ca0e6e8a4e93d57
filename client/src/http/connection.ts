import { SegmentationError } from "../errors.ts";
import type { ClientOptions, RequestOptions } from "../options.ts";
import { Exchange } from "./exchange.ts";
import { readJson } from "./read.ts";
import { refusal, storageRefusal } from "./refusal.ts";
import { persist, type Patience } from "./retry.ts";

/** One request to the service. */
export interface ApiRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: object | undefined;
  /** Whether a success has no body. */
  readonly isEmpty: boolean;
}

/** An answer, with the response that it came in. */
export interface Answered<T> {
  readonly data: T;
  readonly response: Response;
}

/** Reads a body; `alive` says that something of it has come. */
export type Read<T> = (response: Response, alive: () => void) => Promise<T>;

/** Sends requests to the service and to its storage: credentials, time limits, repetitions. */
export class Connection implements Patience {
  readonly maxRetries: number;
  readonly retryDelayMs: number;
  readonly parallel: number;
  readonly timeoutMs: number;
  /** The caller's own `fetch`. */
  readonly ownFetch: typeof fetch | undefined;
  readonly #baseUrl: string;
  readonly #credential: () => string | Promise<string>;

  /** @throws TypeError if `baseUrl` is no URL, or there is no credential */
  constructor(options: ClientOptions) {
    const { baseUrl, apiKey, accessToken, timeoutMs = 60_000, maxRetries = 5 } = options;
    this.#baseUrl = new URL(baseUrl).href.replace(/\/$/, "");
    if (apiKey === undefined && accessToken === undefined)
      throw new TypeError("A client needs an apiKey or an accessToken.");
    this.#credential = accessToken ?? (() => apiKey);
    this.ownFetch = options.fetch;
    this.timeoutMs = timeoutMs;
    this.maxRetries = maxRetries;
    this.retryDelayMs = options.retryDelayMs ?? 500;
    this.parallel = options.parallel ?? 6;
  }

  /** The platform's `fetch` wants no other `this`. */
  fetch(url: string, init: RequestInit): Promise<Response> {
    return this.ownFetch === undefined ? globalThis.fetch(url, init) : this.ownFetch(url, init);
  }

  /** Asks the service once, and gives its success unread. @throws SegmentationError if it refuses */
  async open(
    { method, path, body }: ApiRequest,
    options: RequestOptions,
    exchange: Exchange,
  ): Promise<Response> {
    const headers = new Headers(options.headers);
    headers.set("authorization", `Bearer ${await this.#credential()}`);
    if (options.idempotencyKey !== undefined) headers.set("idempotency-key", options.idempotencyKey);
    if (body !== undefined) headers.set("content-type", "application/json");
    const { signal } = exchange;
    const init = { method, headers, body: body === undefined ? null : JSON.stringify(body), signal };
    const response = await exchange.within(this.fetch(this.#baseUrl + path, init));
    if (!response.ok) throw await exchange.within(refusal(response));
    return response;
  }

  /** Asks the service, again where a failure may pass: a POST with one Idempotency-Key, so that it takes effect once. */
  async ask<T>(request: ApiRequest, options: RequestOptions = {}): Promise<Answered<T>> {
    const idempotencyKey = request.method === "POST" ? crypto.randomUUID() : undefined;
    const attempt = (failures: number): Promise<Answered<T>> =>
      this.exchange(options, async (exchange) => {
        try {
          const response = await this.open(request, { idempotencyKey, ...options }, exchange);
          return { response, data: await exchange.within(readJson<T>(response)) };
        } catch (error) {
          // The first answer was lost, and it said that this is gone now.
          if (failures === 0 || !isGone(request, error)) throw error;
          const response = new Response(null, { status: 204 });
          return { response, data: await readJson<T>(response) };
        }
      });
    return await persist(this, options.signal, attempt, options.onRetry);
  }

  /** Downloads a URL, again where a failure may pass. @throws SegmentationError */
  async download<T>(url: string, read: Read<T>, signal?: AbortSignal): Promise<T> {
    const attempt = (): Promise<T> =>
      this.exchange({ signal }, async (exchange) => {
        const response = await exchange.within(this.fetch(url, { signal: exchange.signal }));
        if (!response.ok) throw await exchange.within(storageRefusal(response));
        return await exchange.within(read(response, exchange.alive));
      });
    return await persist(this, signal, attempt);
  }

  /** Does what one request takes, within its time. */
  async exchange<T>(
    { timeoutMs = this.timeoutMs, signal }: RequestOptions,
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

/** Whether an operation that answers nothing finds nothing to do. */
const isGone = ({ isEmpty }: ApiRequest, error: unknown): boolean =>
  isEmpty && error instanceof SegmentationError && error.status === 404;
