import type { TaskRequest } from "@segmentation/protocol";
import { Callback } from "./callback.ts";
import type { TaskDropped } from "../dropped.ts";
import { Lease } from "./lease.ts";

/** An accepted task. Its signal aborts with a TaskDropped, which is not reported, or a TaskReturned, which is. */
export class Task {
  readonly request: TaskRequest;
  readonly callback: Callback;
  readonly lease: Lease;
  readonly acceptedAt = performance.now();
  readonly #controller = new AbortController();

  constructor(request: TaskRequest, times: { readonly heartbeatMs: number; readonly patienceMs: number }) {
    const { callbackUrl, callbackToken, deadline } = request;
    this.request = request;
    this.callback = new Callback(callbackUrl, callbackToken, times.patienceMs);
    this.lease = new Lease(this.callback, deadline, times.heartbeatMs, (reason) => this.abort(reason));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: TaskDropped | Error): void {
    this.#controller.abort(reason);
  }
}
