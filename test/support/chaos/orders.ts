import { setTimeout as sleep } from "node:timers/promises";
import { AcceptedJob } from "../../../src/jobs/contract/job.ts";
import type { Customer } from "./customers.ts";

/** The customer's next step with an accepted job. */
export type Fate = "kept" | "cancelled" | "deleted";

/** A job that a customer ordered, even if its acceptance is not confirmed. */
export interface Order {
  readonly customer: Customer;
  /** The same for each repetition of the request. */
  readonly idempotencyKey: string;
  readonly tasks: readonly string[];
  readonly prompts: readonly string[];
  readonly fate: Fate;
  jobId: string | null;
  /** True once the customer knows that its step has taken effect. */
  isDone: boolean;
}

const AT_ONCE = 4;
const POLL_MS = 100;

/** There was no answer: the power cut came in between. */
class NoAnswer extends Error {}

/** Returns the status and the body of an answer. @throws NoAnswer */
async function answerTo(url: string, init: RequestInit): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, init);
    return { status: response.status, text: await response.text() };
  } catch {
    throw new NoAnswer();
  }
}

/** Repeats a request until the job is accepted. @throws NoAnswer; Error for an answer that no repetition changes */
async function place(baseUrl: string, order: Order): Promise<void> {
  const { customer, idempotencyKey, tasks, prompts } = order;
  const init = {
    method: "POST",
    headers: {
      authorization: `Bearer ${customer.apiKey}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    },
    body: JSON.stringify({ type: "image", tasks, prompts }),
  };
  for (;;) {
    const { status, text } = await answerTo(`${baseUrl}/v1/jobs`, init);
    if (status === 202) {
      order.jobId = AcceptedJob.parse(JSON.parse(text)).jobId;
      return;
    }
    const isPassing = status >= 500 || status === 429 || text.includes('"idempotency_in_progress"');
    if (!isPassing) throw new Error(`the job was refused with status ${status}: ${text}`);
    await sleep(1_000);
  }
}

/** Requests the jobs of all unconfirmed orders, a few at a time. Returns the number of requests without an answer. */
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

/** Cancels or deletes an accepted job. @throws NoAnswer; Error for an answer that no repetition changes */
async function end(baseUrl: string, { customer, fate, jobId }: Order): Promise<void> {
  const isDeleted = fate === "deleted";
  const url = `${baseUrl}/v1/jobs/${jobId}${isDeleted ? "" : "/cancel"}`;
  const method = isDeleted ? "DELETE" : "POST";
  const headers = { authorization: `Bearer ${customer.apiKey}` };
  for (;;) {
    const { status, text } = await answerTo(url, { method, headers });
    // After a power cut has taken a deletion's answer, the repetition finds no job.
    if (status === 200 || status === 204 || (isDeleted && status === 404)) return;
    if (status < 500 && status !== 429) throw new Error(`the job was not ${fate}: ${status} ${text}`);
    await sleep(1_000);
  }
}

/**
 * Cancels and deletes the chosen jobs, each soon after its acceptance. Returns true once all are done, false if a power cut came
 * before.
 */
export async function endAll(baseUrl: string, orders: readonly Order[]): Promise<boolean> {
  const open = (): Order[] => orders.filter(({ fate, isDone }) => fate !== "kept" && !isDone);
  try {
    while (open().length > 0) {
      const order = open().find(({ jobId }) => jobId !== null);
      if (order === undefined) await sleep(POLL_MS);
      else {
        await end(baseUrl, order);
        order.isDone = true;
      }
    }
    return true;
  } catch (error) {
    if (error instanceof NoAnswer) return false;
    throw error;
  }
}
