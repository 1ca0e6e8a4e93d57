import { putOffSeconds } from "../rules/policy.ts";
import { log, reasonOf } from "../../shared/log.ts";
import type { Platform } from "../../platform.ts";
import { TaskMessage } from "../store/queues.ts";

/**
 * Number of times that a message comes back before a new one replaces it. A queue takes 5,000 new messages per second, which new
 * work needs, and any number of retries. But it counts retries, and drops the message at `max_retries`: failures need the rest.
 */
export const MOST_RETRIES = 3;

/**
 * Postpones the messages of a batch for whose tasks the inference service has no room: one query for all of them, without waking
 * a JobObject. They stay in their queue, and every fourth time as new messages. Returns the remaining messages, including
 * malformed ones.
 */
export async function putOffWithoutRoom(
  { inference, queues }: Platform,
  messages: readonly Message[],
  now: number,
): Promise<readonly Message[]> {
  const asked = messages.flatMap((message) => {
    const { data: body } = TaskMessage.safeParse(message.body);
    return body === undefined ? [] : [{ message, body }];
  });
  const [first] = asked;
  if (first === undefined) return messages;
  const answer = await inference.room(
    asked.map(({ body }) => body.waiting),
    first.body.taskId,
  );
  if (answer === null) return messages;
  const off = asked
    .filter((_, i) => answer.room[i] !== true)
    .map(({ message, body }) => {
      const delaySeconds = putOffSeconds(now - body.waiting.acceptedAt, Math.random());
      return { message, body, delaySeconds };
    });
  if (off.length === 0) return messages;
  const { lane } = first.body.waiting;
  const { away } = answer;
  log(away === null || away.expected ? "info" : "warn", "tasks_put_off", {
    lane,
    // The log samples the batch by this id: under load there are hundreds of these lines per second.
    messageId: first.message.id,
    why: away === null ? "full" : "away",
    reason: away?.reason ?? null,
    tasks: off.length,
  });
  const worn = off.filter(({ message }) => message.attempts > MOST_RETRIES);
  for (const { message, delaySeconds } of off)
    if (message.attempts <= MOST_RETRIES) message.retry({ delaySeconds });
  try {
    if (worn.length > 0)
      await queues.sendLater(
        lane,
        worn.map(({ body, delaySeconds }) => ({ body, delaySeconds })),
      );
    for (const { message } of worn) message.ack();
  } catch (error) {
    log("error", "send_failed", { lane, reason: reasonOf(error) });
    for (const { message, delaySeconds } of worn) message.retry({ delaySeconds });
  }
  const gone = new Set(off.map(({ message }) => message));
  return messages.filter((message) => !gone.has(message));
}
