import { type ImageResult, SegmentationClient, SegmentationError } from "segmentation-client/node";
import { expect } from "vitest";
import { picture, sumOfPicture } from "./memory-client.ts";
import type { Draws } from "../../../test/support/chaos/draws.ts";
import { type FaultyNetwork, startFaultyNetwork } from "./faulty-network.ts";
import { fakeService } from "./fake-service.ts";
import { ring } from "./shapes.ts";

/** Outcome of calls over a faulty network. */
export interface BadDay {
  readonly right: number;
  /** The number of calls that ended in each error, by its message. */
  readonly failed: ReadonlyMap<string, number>;
  readonly faults: FaultyNetwork["happened"];
}

/** The share of the requests with a fault. */
const SHARE = 0.25;
const AT_A_TIME = 20;
const PROMPTS = ["cup", "spoon"];

async function expectRight({ pictures }: ImageResult, number: number): Promise<void> {
  expect(pictures).toHaveLength(2);
  for (const [i, { masks }] of pictures.entries()) {
    expect(masks.map(({ prompt }) => prompt)).toEqual(PROMPTS);
    for (const [j, mask] of masks.entries())
      expect(await mask.bitmap()).toEqual(ring(sumOfPicture(number + i), j));
  }
}

/**
 * Makes calls over a network with random faults. Expects of each call the right result or one error of the library,
 * within its time limits, and no second job.
 */
export async function haveABadDay(
  calls: number,
  draws: Draws,
  afterEach = (_call: number): void => {},
): Promise<BadDay> {
  const service = fakeService({ looks: 2 });
  const network = await startFaultyNetwork(service.app, SHARE, draws);
  const client = new SegmentationClient({
    baseUrl: network.baseUrl,
    apiKey: "sk_live_fake",
    timeoutMs: 2_000,
    maxRetries: 7,
    retryDelayMs: 5,
  });
  const failed = new Map<string, number>();
  let [right, next] = [0, 0];
  const caller = async (): Promise<void> => {
    for (let call = next++; call < calls; call = next++) {
      // Far beyond the time of all repetitions: only a call that hangs reaches it.
      const signal = AbortSignal.timeout(120_000);
      const number = call % 100;
      try {
        await expectRight(
          await client.segment([picture(number), picture(number + 1)], PROMPTS, { signal }),
          number,
        );
        right++;
      } catch (error) {
        if (!(error instanceof SegmentationError)) throw error;
        failed.set(error.message, (failed.get(error.message) ?? 0) + 1);
      }
      afterEach(call);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, caller));
  } finally {
    await network.close();
  }
  const tasks = [...service.jobs.values()].map(({ request }) => request.tasks.join());
  expect(new Set(tasks).size, "a call made two jobs").toBe(tasks.length);
  expect(tasks.length).toBeGreaterThanOrEqual(right);
  return { right, failed, faults: network.happened };
}
