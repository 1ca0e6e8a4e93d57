import { setTimeout as sleep } from "node:timers/promises";
import { AcceptedJob } from "../../../src/contract/job.ts";
import type { Customer } from "./customers.ts";

/** A job that a customer wants, whether or not it has heard of its acceptance. */
export interface Order {
  readonly customer: Customer;
  /** The same for each repetition of the request. */
  readonly idempotencyKey: string;
  readonly tasks: readonly string[];
  readonly prompts: readonly string[];
  jobId: string | null;
}

const AT_ONCE = 4;

/** Nobody answered: the power cut came in between. */
class NoAnswer extends Error {}

async function request(baseUrl: string, order: Order): Promise<Response> {
  const { customer, idempotencyKey, tasks, prompts } = order;
  try {
    return await fetch(`${baseUrl}/v1/jobs`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${customer.apiKey}`,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
      },
      body: JSON.stringify({ type: "image", tasks, prompts }),
    });
  } catch {
    throw new NoAnswer();
  }
}

/** Repeats a request until the job is accepted. @throws NoAnswer; Error for an answer that no repetition changes */
async function place(baseUrl: string, order: Order): Promise<void> {
  for (;;) {
    const response = await request(baseUrl, order);
    const text = await response.text().catch(() => {
      throw new NoAnswer();
    });
    if (response.ok) {
      order.jobId = AcceptedJob.parse(JSON.parse(text)).jobId;
      return;
    }
    const { status } = response;
    const isPassing = status >= 500 || status === 429 || text.includes('"idempotency_in_progress"');
    if (!isPassing) throw new Error(`the job was refused with status ${status}: ${text}`);
    await sleep(1_000);
  }
}

/** Requests the jobs of all orders that nobody has confirmed, a few at a time. Returns how many requests got no answer. */
export async function placeAll(baseUrl: string, orders: readonly Order[]): Promise<number> {
  const open = orders.filter(({ jobId }) => jobId === null);
  let unanswered = 0;
  const buyer = async (): Promise<void> => {
    for (let order = open.shift(); order !== undefined; order = open.shift()) {
      try {
        await place(baseUrl, order);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        unanswered += 1;
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, buyer));
  return unanswered;
}
