import { putOffSeconds } from "../rules/policy.ts";
import { log, reasonOf } from "../../shared/log.ts";
import type { Platform } from "../../platform.ts";
import { TaskMessage } from "../store/queues.ts";

/**
 * How often the same message comes back before a new one takes its place. A queue takes 5,000 new messages per second, which new
 * work needs, and any number of retries; but it counts these, and at `max_retries` the message would be dead: what is left is
 * for failures.
 */
export const MOST_RETRIES = 3;

/**
 * Puts off the messages of a batch for whose tasks the inference service has no room: one query for all of them, and no
 * JobObject is woken. They stay in their queue, and every fourth time as new messages.
 * Returns the messages that are left; those that are not understood are left too.
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
    // The batch is sampled by it: under load there are hundreds of these lines per second.
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
