import type { Api, SegmentationClient } from "segmentation-client";
import { client } from "../../state/session.ts";

/** Owner of a workspace: an account, from its sign-in in this tab to its sign-out, with whichever credential. */
export class Owner {
  readonly accountId: string;
  readonly #left = new AbortController();
  /** Aborted at the sign-out. */
  readonly signal = this.#left.signal;

  constructor(accountId: string) {
    this.accountId = accountId;
  }

  /** @throws the signal's reason if they have signed out: nothing of theirs continues in another person's name */
  get client(): SegmentationClient {
    this.signal.throwIfAborted();
    return client.peek();
  }

  get api(): Api {
    return this.client.api;
  }

  leave(): void {
    this.#left.abort();
  }
}
