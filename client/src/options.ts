import type { SegmentationError } from "./errors.ts";

/**
 * Credential of the caller: an API key, by default the environment's `SEGMENTATION_API_KEY`; or a function that gives
 * an access token of the identity provider, called before each request.
 */
export type Credential =
  | { readonly apiKey?: string | undefined; readonly accessToken?: never }
  | { readonly accessToken: () => string | Promise<string>; readonly apiKey?: never };

export type ClientOptions = Credential & {
  /**
   * Address of the service: `https://segmentation.example.com`; by default the environment's `SEGMENTATION_BASE_URL`.
   */
  readonly baseUrl?: string | URL | undefined;
  /** Sends requests instead of the platform's `fetch`. A browser sends files without it, to report their progress. */
  readonly fetch?: typeof fetch | undefined;
  /** Time limit of a request with its body; for files and events, of silence. In milliseconds; 60,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Number of repetitions of a request after a temporary failure; 5 by default. */
  readonly maxRetries?: number | undefined;
  /** The pause before the first repetition in milliseconds, doubled for each further one; 500 by default. */
  readonly retryDelayMs?: number | undefined;
  /** Number of files that are uploaded or downloaded at the same time; 6 by default. */
  readonly parallel?: number | undefined;
};

/** Options of every call; a call of several requests passes them on to each. */
export interface CallOptions {
  /** Ends the call, and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** In place of the client's own. */
  readonly timeoutMs?: number | undefined;
  /** In place of the client's own. */
  readonly maxRetries?: number | undefined;
  /** Called with a temporary failure and the milliseconds until the request is repeated. */
  readonly onRetry?: ((error: SegmentationError, pauseMs: number) => void) | undefined;
  /** Further headers of the requests to the service; those to its storage are signed, and have none. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Options of one request. */
export interface RequestOptions extends CallOptions {
  /** In place of a random one: for a POST that a later run of the program may repeat. */
  readonly idempotencyKey?: string | undefined;
}
