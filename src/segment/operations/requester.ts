import type { Account } from "../../accounts/store/accounts.ts";
import type { Platform } from "../../platform.ts";
import type { Batching } from "../../shared/storage/d1-store.ts";

/** The sender of a request with pictures: the common part of every operation's request. */
export interface Requester {
  readonly platform: Platform;
  readonly account: Account;
  readonly preflight: Batching;
  readonly query: undefined;
  readonly body: undefined;
  readonly idempotencyKey: string | undefined;
  readonly waitSeconds: null;
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal;
  /** Lets work run to its end, even if the client disconnects. */
  readonly keep: (work: Promise<unknown>) => void;
}
