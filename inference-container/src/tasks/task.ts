import type { ProgressReport, TaskRequest } from "@segmentation/protocol";
import { Callback, CallbackRefused } from "./callback.ts";
import { TaskDropped } from "../failures.ts";
import type { Settings } from "../settings.ts";

/** An accepted task. Its signal aborts with a TaskDropped, without a report, or with a TaskReturned, with a report. */
export class Task {
  readonly request: TaskRequest;
  readonly callback: Callback;
  readonly lease: Lease;
  readonly acceptedAt = performance.now();
  readonly #controller = new AbortController();

  constructor(request: TaskRequest, times: Pick<Settings, "heartbeatMs" | "patienceMs">) {
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

/**
 * The right to work on a task until `deadline` (epoch milliseconds), extended by progress reports from acceptance to the
 * end. Calls `lost` once a report is refused or the lease has expired.
 */
class Lease {
  deadline: number;
  readonly #timer: NodeJS.Timeout;
  readonly #callback: Callback;
  readonly #lost: (reason: TaskDropped) => void;
  #progress: ProgressReport = { done: 0, total: 1 };
  #beating = false;

  constructor(callback: Callback, deadline: number, everyMs: number, lost: (reason: TaskDropped) => void) {
    this.#callback = callback;
    this.deadline = deadline;
    this.#lost = lost;
    this.#timer = setInterval(() => void this.#beat(), everyMs);
  }

  /** Sets the content of the next reports: `done` of `total` units. */
  report(progress: ProgressReport): void {
    this.#progress = progress;
  }

  /** Stops the reports. */
  end(): void {
    clearInterval(this.#timer);
  }

  async #beat(): Promise<void> {
    if (this.#beating) return;
    this.#beating = true;
    try {
      this.deadline = await this.#callback.progress(this.#progress);
    } catch (error) {
      // A Worker that can't be reached may come back before the lease expires.
      const over = error instanceof CallbackRefused || Date.now() > this.deadline;
      if (over) this.#lost(new TaskDropped("lease_lost"));
    } finally {
      this.#beating = false;
    }
  }
}
