import type { EndEvent } from "../contract/end-event.ts";
import { eventOf, withoutEvents } from "../rules/milestones.ts";
import type { NotedEvent } from "../rules/state.ts";
import { log, reasonOf } from "../../shared/log.ts";
import type { Platform } from "../../platform.ts";
import type { JobCell } from "./job-cell.ts";

/**
 * Delivers the job's events to the objects of its account's webhook endpoints until every object has them; an object takes each
 * once. Separate from the outbox, so that no message of the job waits for a slow object.
 */
export class JobEvents {
  readonly #cell: JobCell;
  readonly #platform: Platform;
  #delivering: Promise<void> | null = null;

  constructor(cell: JobCell, platform: Platform) {
    this.#cell = cell;
    this.#platform = platform;
  }

  /** Hands over the noted events; a failed one is due again later. One run at a time. Never throws. */
  async deliver(): Promise<void> {
    this.#delivering ??= this.#deliverAll()
      .catch((error: unknown) => {
        const jobId = this.#cell.state?.definition.jobId;
        log("warn", "webhook_delayed", { jobId, reason: reasonOf(error) });
        return this.#cell.noteFailure();
      })
      .finally(() => {
        this.#delivering = null;
      });
    await this.#delivering;
  }

  async #deliverAll(): Promise<void> {
    for (;;) {
      const { state } = this.#cell;
      if (state?.phase !== "running" || state.events === undefined) return;
      const { accountId, database } = state.definition;
      const listenersOf = await this.#platform.at(database).webhookEndpoints.listeners(accountId);
      const ends = await Promise.allSettled(
        state.events.map((event) => this.#handOver(event, eventOf(state, event), listenersOf(event))),
      );
      const received = state.events.filter((_, i) => ends[i]?.status === "fulfilled");
      await this.#cell.take((job) => ({ state: withoutEvents(job, received), taken: true }));
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    }
  }

  /** Hands an event to the objects of these endpoints. */
  async #handOver(
    { id, type, at }: NotedEvent,
    body: EndEvent,
    endpointIds: readonly string[],
  ): Promise<void> {
    const outgoing = { id, type, at, body: JSON.stringify(body) };
    await Promise.all(
      endpointIds.map((endpointId) =>
        // Looks up the account's database now: the account may have moved since its listeners were read.
        this.#platform
          .webhookObject(endpointId)
          .receive(endpointId, outgoing, this.#cell.state?.definition.database),
      ),
    );
  }
}
