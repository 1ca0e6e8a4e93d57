import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { TaskMessage } from "../../../../src/jobs/store/queues.ts";
import type { Draw } from "../client/random.ts";
import { deliver } from "./inference.ts";

/** The lane `bulk`, whose messages a simulation delivers. */
export class HeldQueue {
  readonly #messages: TaskMessage[] = [];

  constructor() {
    const queues: Queue = Object.getPrototypeOf(env.BULK_QUEUE);
    vi.spyOn(queues, "sendBatch").mockImplementation((batch) => {
      for (const { body } of batch) this.#messages.push(TaskMessage.parse(body));
      return Promise.resolve({ metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } });
    });
  }

  /** Delivers all messages once, in any order; the ones that are not acknowledged stay. */
  async deliver(draw: Draw): Promise<void> {
    const messages = draw.shuffled(this.#messages.splice(0));
    while (messages.length > 0) {
      const batch = messages.splice(0, MOST_IN_BATCH);
      const { explicitAcks } = await deliver("segmentation-bulk", ...batch);
      this.#messages.push(...batch.filter((_, i) => !explicitAcks.includes(`m${i}`)));
    }
  }
}

const MOST_IN_BATCH = 100;
