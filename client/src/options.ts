import type { SegmentationError } from "./errors.ts";

/**
 * Who calls: an API key, by default the one in the environment's `SEGMENTATION_API_KEY`; or what gives an access token of the
 * identity provider, asked before each request.
 */
export type Credential =
  | { readonly apiKey?: string | undefined; readonly accessToken?: never }
  | { readonly accessToken: () => string | Promise<string>; readonly apiKey?: never };

export type ClientOptions = Credential & {
  /** Where the service is: `https://segmentation.example.com`; by default the environment's `SEGMENTATION_BASE_URL`. */
  readonly baseUrl?: string | URL | undefined;
  /** What sends requests in place of the platform's `fetch`. A browser sends files without it, to report their progress. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * How long a request may take, its body included; for files and events, how long nothing may come or go. In
   * milliseconds; 60,000 by default.
   */
  readonly timeoutMs?: number | undefined;
  /** How often a request is repeated after a failure that may pass; 5 by default. */
  readonly maxRetries?: number | undefined;
  /** The pause before the first repetition in milliseconds, doubled for each further one; 500 by default. */
  readonly retryDelayMs?: number | undefined;
  /** How many files are uploaded or downloaded at the same time; 6 by default. */
  readonly parallel?: number | undefined;
};

/** What every call takes; a call of several requests passes it on to each of them. */
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

/** What one request takes. */
export interface RequestOptions extends CallOptions {
  /** In place of a random one: for a POST that a later run of the program may repeat. */
  readonly idempotencyKey?: string | undefined;
}
