import { DurableObject } from "cloudflare:workers";
import { stillOpen, streamsReported, type OpenStreams } from "../rules/waiters.ts";
import type { Env } from "../../env.ts";
import type { StreamsRpc } from "../store/rpc.ts";

const OPEN = "open";
/** The time until an alarm whose delay is measured, in milliseconds. */
const PROBE_MS = 1_000;

/**
 * Counts the open streams of one account, as its JobObjects report them. Its records expire: each is valid for a minute and a
 * half.
 */
export class AccountStreams extends DurableObject<Env> implements StreamsRpc {
  #rang = Promise.withResolvers<void>();

  get #open(): OpenStreams {
    return this.ctx.storage.kv.get<OpenStreams>(OPEN) ?? {};
  }

  async say(jobId: string, count: number): Promise<boolean> {
    const { open, admitted } = streamsReported(this.#open, jobId, count, Date.now());
    await this.#keep(open);
    return admitted;
  }

  async alarmDelay(): Promise<number> {
    const at = Date.now() + PROBE_MS;
    this.#rang = Promise.withResolvers();
    await this.ctx.storage.setAlarm(at);
    await this.#rang.promise;
    return Date.now() - at;
  }

  /** Forgets the reports of JobObjects that have since died. Each new report does so, too, and may postpone the alarm. */
  override async alarm(): Promise<void> {
    this.#rang.resolve();
    await this.#keep(stillOpen(this.#open, Date.now()));
  }

  async #keep(open: OpenStreams): Promise<void> {
    const { storage } = this.ctx;
    const until = Object.values(open).map((job) => job.until);
    if (until.length === 0) {
      await Promise.all([storage.deleteAlarm(), storage.deleteAll()]);
      return;
    }
    storage.kv.put(OPEN, open);
    await storage.setAlarm(Math.max(...until));
  }
}
