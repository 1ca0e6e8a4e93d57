/**
 * The Worker with a queue that misbehaves: the queue of the local runtime delivers everything once and in order. A fault
 * shim for tests, never deployed; everything but the deliveries is src/index.ts.
 */
import { withStorage } from "../../../../scripts/stack/workers/with-storage.ts";
import { log } from "../../../../src/core/log.ts";
import type { Env } from "../../../../src/env.ts";
import service from "../../../../src/index.ts";
import { Draws } from "../draws.ts";
import { MESSAGE_FAULTS, REORDERED } from "../faults.ts";

export { AccountStreams, JobObject, WebhookObject } from "../../../../src/index.ts";

interface ChaosEnv extends Env {
  /** What the draws follow from, in this life of the Worker. */
  readonly CHAOS_SEED: string;
}

const LONGEST_DELAY_SECONDS = 8;

let draws: Draws | undefined;

function queueOf(env: Env, name: string): Queue {
  if (name.endsWith("-interactive")) return env.INTERACTIVE_QUEUE;
  if (name.endsWith("-bulk")) return env.BULK_QUEUE;
  return name.endsWith("-trial") ? env.TRIAL_QUEUE : env.ARCHIVE_QUEUE;
}

/** A second delivery, which answers for nothing: the first decides what becomes of the message. */
const copyOf = ({ id, timestamp, body, attempts }: Message): Message => ({
  id,
  timestamp,
  body,
  attempts,
  ack: () => undefined,
  retry: () => undefined,
});

/** What is delivered now of a batch: some of it never, some later, some twice, and in any order. */
async function disturb(batch: MessageBatch, env: ChaosEnv, from: Draws): Promise<Message[]> {
  const deliveries: Message[] = [];
  const again = (message: Message): Promise<unknown> =>
    queueOf(env, batch.queue).send(message.body, { delaySeconds: from.between(1, LONGEST_DELAY_SECONDS) });
  for (const message of batch.messages) {
    const fault = from.fault(MESSAGE_FAULTS);
    if (fault !== null) log("info", "chaos_fault", { fault });
    if (fault === "message_dropped") message.ack();
    else if (fault === "message_delayed") {
      await again(message);
      message.ack();
    } else {
      deliveries.push(message);
      if (fault === "message_doubled") deliveries.push(copyOf(message));
      if (fault === "message_doubled_later") await again(message);
    }
  }
  const shuffled = from.shuffled(deliveries);
  for (const [i, message] of shuffled.entries())
    if (message !== deliveries[i]) log("info", "chaos_fault", { fault: REORDERED });
  return shuffled;
}

const disturbing = {
  fetch: service.fetch,
  scheduled: service.scheduled,
  queue: async (batch, env) => {
    draws ??= new Draws(`queue ${env.CHAOS_SEED}`);
    if (/-(?:dead-letters|uploads|upkeep)$/.test(batch.queue)) return service.queue(batch, env);
    const messages = await disturb(batch, env, draws);
    const { queue, metadata } = batch;
    return service.queue(
      { queue, metadata, messages, ackAll: () => batch.ackAll(), retryAll: (how) => batch.retryAll(how) },
      env,
    );
  },
} satisfies ExportedHandler<ChaosEnv>;

export default withStorage(disturbing);
