/**
 * The Worker with a queue that misbehaves and late alarms: the local runtime delivers everything once, in order and on time. A
 * fault shim for tests, never deployed; everything else is src/index.ts.
 */
import { withStorage } from "../../../../scripts/local/stack/workers/with-storage.ts";
import { log } from "../../../../src/shared/log.ts";
import type { Env } from "../../../../src/env.ts";
import service, { JobObject as Job, WebhookObject as Webhook } from "../../../../src/index.ts";
import { Draws } from "../draws.ts";
import { ALARM_FAULTS, MESSAGE_FAULTS, REORDERED } from "../faults.ts";

export { AccountStreams, InferenceGateway } from "../../../../src/index.ts";

interface ChaosEnv extends Env {
  /** The seed of the draws in this life of the Worker. */
  readonly CHAOS_SEED: string;
  /** Maximum delay of an alarm. */
  readonly CHAOS_LATE_SECONDS: string;
}

const LONGEST_DELAY_SECONDS = 8;

let draws: Draws | undefined;
let alarmDraws: Draws | undefined;

const SET_FOR = "chaos";

/** Delays some alarms of an object, which sees only the time that it has set. */
function delayAlarms({ storage }: DurableObjectState, env: ChaosEnv): void {
  const from = (alarmDraws ??= new Draws(`alarms ${env.CHAOS_SEED}`));
  const setAlarm = storage.setAlarm.bind(storage);
  const getAlarm = storage.getAlarm.bind(storage);
  storage.setAlarm = (at) => {
    const fault = from.fault(ALARM_FAULTS);
    const lateMs = fault === null ? 0 : from.between(1, Number(env.CHAOS_LATE_SECONDS) * 1_000);
    if (fault !== null) log("info", "chaos_fault", { fault });
    storage.kv.put(SET_FOR, Number(at));
    return setAlarm(Math.max(Number(at), Date.now()) + lateMs);
  };
  storage.getAlarm = async () =>
    (await getAlarm()) === null ? null : (storage.kv.get<number>(SET_FOR) ?? null);
}

export class JobObject extends Job {
  constructor(ctx: DurableObjectState, env: ChaosEnv) {
    delayAlarms(ctx, env);
    super(ctx, env);
  }
}

export class WebhookObject extends Webhook {
  constructor(ctx: DurableObjectState, env: ChaosEnv) {
    delayAlarms(ctx, env);
    super(ctx, env);
  }
}

function queueOf(env: Env, name: string): Queue {
  if (name.endsWith("-interactive")) return env.INTERACTIVE_QUEUE;
  if (name.endsWith("-bulk")) return env.BULK_QUEUE;
  return name.endsWith("-trial") ? env.TRIAL_QUEUE : env.ARCHIVE_QUEUE;
}

/** Returns a second delivery, whose outcome does not count: the first decides the message's outcome. */
const copyOf = ({ id, timestamp, body, attempts }: Message): Message => ({
  id,
  timestamp,
  body,
  attempts,
  ack: () => undefined,
  retry: () => undefined,
});

/** Returns the messages of a batch to deliver now: drops some, delays some, doubles some, and shuffles them. */
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
