import type { TaskRequest } from "../../../src/inference/protocol.ts";
import { Callback } from "./callback.ts";
import { Lease, type TaskDropped } from "./lease.ts";

/** An accepted task. Its signal aborts with a TaskDropped (no report) or a TaskFailure (reported). */
export class Task {
  readonly request: TaskRequest;
  readonly callback: Callback;
  readonly lease: Lease;
  readonly acceptedAt = performance.now();
  readonly #controller = new AbortController();

  constructor(request: TaskRequest, heartbeatMs: number) {
    this.request = request;
    this.callback = new Callback(request.callbackUrl, request.callbackToken);
    this.lease = new Lease(this.callback, request.deadline, heartbeatMs, (reason) => this.abort(reason));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: TaskDropped | Error): void {
    this.#controller.abort(reason);
  }
}
