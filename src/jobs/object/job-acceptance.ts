import { decided } from "../rules/lifecycle.ts";
import type { Platform } from "../../platform.ts";
import type { JobCell } from "./job-cell.ts";
import type { JobOutbox } from "./job-outbox.ts";

/** The acceptance of the job: a prepared one runs once the queue has its tasks, and is withdrawn if the queue takes none. */
export class JobAcceptance {
  readonly #cell: JobCell;
  readonly #outbox: JobOutbox;
  readonly #platform: Platform;
  readonly #withdraw: () => Promise<void>;
  #accepting: Promise<boolean> | null = null;

  constructor(cell: JobCell, outbox: JobOutbox, platform: Platform, withdraw: () => Promise<void>) {
    this.#cell = cell;
    this.#outbox = outbox;
    this.#platform = platform;
    this.#withdraw = withdraw;
  }

  /** Shared by all concurrent callers: none may get a yes before the queue has taken the tasks. */
  accept(): Promise<boolean> {
    this.#accepting ??= this.#accept().finally(() => {
      this.#accepting = null;
    });
    return this.#accepting;
  }

  async #accept(): Promise<boolean> {
    const { state } = this.#cell;
    if (state?.phase === "running" || state?.phase === "expired") return true;
    if (state?.phase !== "prepared") return false;
    await this.#cell.commit({ ...state, phase: "running", projected: Math.max(state.projected, 1) });
    const sent = await this.#outbox.sendTasks();
    const latest = this.#cell.state;
    if (latest?.phase === "expired") return true;
    if (latest?.phase !== "running") return false;
    // A queue that seemed to fail, or the alarm's second try meanwhile, may have reached a consumer.
    if (sent || latest.lastLease > 0) return true;
    await this.#withdraw();
    return false;
  }

  /** Checks a job whose acceptance is in doubt: if its account's list has it, it counts as accepted from now on. */
  async decide(accountId: string): Promise<void> {
    const { state } = this.#cell;
    if (state?.phase !== "prepared" || state.definition.accountId !== accountId) return;
    const { jobId, database } = state.definition;
    const acceptance = await this.#platform.at(database).jobs.acceptance(jobId);
    const latest = this.#cell.state;
    if (latest?.phase === "prepared" && acceptance === "listed")
      await this.#cell.commit(decided(latest, acceptance));
  }
}
