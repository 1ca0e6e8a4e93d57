import { ratePerSecond } from "../report.ts";
import type { TaskTimes } from "../task-times.ts";
import type { BenchService } from "./with-service.ts";

/** A picture to process: its file and a prompt. */
export interface OfferedPicture {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly prompt: string;
}

/** The rate of a series of pictures, and the service's times of each. */
export interface Offered {
  readonly perSecond: number;
  readonly times: readonly TaskTimes["ms"][];
}

/**
 * Keeps `atOnce` tasks at the service until all are done. The time counts from the first request to the last report:
 * reports come in bursts, so any time between two of them would be arbitrary.
 */
export async function offer(
  service: BenchService,
  pictures: readonly OfferedPicture[],
  atOnce: number,
): Promise<Offered> {
  const { worker } = service;
  const requests = pictures.map(({ file, prompt }, n) => {
    worker.inputs.set(`picture-${n}`, Buffer.from(file.buffer));
    return worker.request({
      prompts: [prompt],
      inputUrl: `${worker.origin}/inputs/picture-${n}`,
      limits: { inputBytes: 50_000_000, inputPixels: 36_000_000, masks: 100 },
    });
  });
  const times: TaskTimes["ms"][] = [];
  const remaining = requests.values();
  const offerer = async (): Promise<void> => {
    for (const request of remaining) {
      await service.finish(request);
      times.push((await service.timesOf(request.key)).ms);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: atOnce }, offerer));
  return { perSecond: ratePerSecond(pictures.length, performance.now() - begun), times };
}
