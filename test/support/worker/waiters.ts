import { env } from "cloudflare:workers";
import { expect, onTestFinished } from "vitest";
import { present } from "../at.ts";
import { EventReader } from "../event-stream.ts";
import { fetchWorker, type Client } from "./api.ts";

/** The clients that a job lets wait. */
export async function waitersOf(jobId: string): Promise<{ waits: number; streams: number }> {
  const { waits, streams } = present(await env.JOBS.getByName(jobId).report(), "report");
  return { waits, streams };
}

/** Resolves when so many clients wait for a job. */
export const expectWaiters = (jobId: string, waiters: { waits: number; streams: number }): Promise<void> =>
  expect.poll(() => waitersOf(jobId)).toEqual(waiters);

/** Asks for a job's events. */
export const askEvents = (
  client: Client,
  jobId: string,
  lastEventId: string | null = null,
): Promise<Response> =>
  fetchWorker(
    new Request(`https://api.test/v1/jobs/${jobId}/events`, {
      headers: {
        authorization: `Bearer ${client.key}`,
        ...(lastEventId !== null && { "last-event-id": lastEventId }),
      },
    }),
  );

/** Opens a stream of a job's events, for as long as the test: one that nobody holds the garbage collector would close. */
export async function openStream(
  client: Client,
  jobId: string,
  lastEventId: string | null = null,
): Promise<EventReader> {
  const response = await askEvents(client, jobId, lastEventId);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const stream = new EventReader(response.body);
  onTestFinished(() => stream.cancel().catch(() => undefined));
  return stream;
}
