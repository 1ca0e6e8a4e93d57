import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { newClient, type Client } from "../client/api.ts";
import { deliverTask, FakeInference } from "../fakes/inference.ts";
import { newJob } from "../fixtures/jobs.ts";
import { later } from "../runtime/time.ts";

/** A data point as a reader of the table in Analytics Engine sees it. */
export type Row = [blobs: readonly unknown[], doubles: readonly unknown[]];

/** A client, and the points that the Worker writes. */
export interface Metered {
  readonly client: Client;
  readonly points: AnalyticsEngineDataPoint[];
  /** Returns the points written under this index. */
  readonly written: (index: string) => Row[];
}

/** Causes an event, and returns the points that the Worker then writes. */
export type Happening = (metered: Metered) => Promise<readonly Row[]>;

/** Records the points from now on, for a new client. Stops the clock until a test moves it. */
export async function metered(): Promise<Metered> {
  const points: AnalyticsEngineDataPoint[] = [];
  const { METRICS } = env;
  if (METRICS === undefined) throw new Error("wrangler.toml has no binding METRICS");
  vi.spyOn(METRICS, "writeDataPoint").mockImplementation((point) => {
    if (point !== undefined) points.push(point);
  });
  const client = await newClient();
  later(0);
  const written = (index: string): Row[] =>
    points
      .filter(({ indexes }) => indexes?.length === 1 && indexes[0] === index)
      .map(({ blobs = [], doubles = [] }) => [blobs, doubles]);
  return { client, points, written };
}

/** Creates a job whose only task is in progress four seconds after its acceptance. */
export async function startedJob(client: Client) {
  const inference = new FakeInference();
  const job = await newJob(client);
  later(4_000);
  await deliverTask(job.jobId, job.taskId);
  return { ...job, inference };
}
