/**
 * A simulated model server as a process: it works on `places` requests at once, each for `cost` milliseconds, and finds six
 * objects in each picture. It uses hardly any processor time besides the transfer. Arguments: places, cost.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Semaphore } from "../../../inference-container/src/models/kserve/semaphore.ts";
import { binaryOf, type PlayedTensor } from "../../../inference-container/test/support/played-answer.ts";
import { find, tensorsOf } from "../../../inference-container/test/support/played-model.ts";
import { startPlayedServer } from "../../../inference-container/test/support/played-model-server.ts";

const OBJECTS = 6;

const [count = NaN, cost = NaN] = process.argv.slice(2).map(Number);
const semaphore = new Semaphore(count);
const answers = new Map<string, readonly PlayedTensor[]>();
const server = await startPlayedServer();
server.infer = async (seen) => {
  // The folder's own picture, at load.
  if (seen.id === undefined) return find(seen);
  const place = await semaphore.acquire(seen.gone);
  await sleep(cost);
  place[Symbol.dispose]();
  server.seen.length = 0;
  const size = `${seen.width} × ${seen.height}`;
  const tensors =
    answers.get(size) ??
    tensorsOf(objects(seen), seen).map((tensor) => Object.assign(tensor, { bytes: binaryOf(tensor) }));
  answers.set(size, tensors);
  return { tensors };
};
console.log(JSON.stringify({ msg: "listening", url: server.origin }));

function objects({ width, height }: { width: number; height: number }): Parameters<typeof tensorsOf>[0] {
  return Array.from({ length: OBJECTS }, (_, i) => {
    const left = (i * width) / (OBJECTS + 1);
    const box = [left, height / 4, left + width / OBJECTS, height / 2] as const;
    return { promptIndex: 0, score: 0.9 - i / 100, box };
  });
}
