import { loadModel } from "../../../inference-container/src/models/load.ts";
import { ensureModel } from "../../stack/model.ts";
import { withStack } from "../with-stack.ts";
import { type Measurement, measurePair } from "./measure.ts";
import { report } from "./report.ts";

/** Measures `pictures` pairs of pictures one after another, with the model that the stack serves, and returns the report's lines. */
export async function benchPictures(pictures: number, signal: AbortSignal): Promise<string[]> {
  return await withStack(signal, async (stack) => {
    const model = await loadModel(await ensureModel(stack.mark, signal));
    const bench = { ...stack, model };
    const runs: Measurement[] = [];
    // The first picture warms the path up and is not counted.
    await measurePair(bench, 0);
    for (let n = 1; n <= pictures; n += 1) {
      signal.throwIfAborted();
      runs.push(...(await measurePair(bench, n)));
      console.error(`picture ${n} of ${pictures}`);
    }
    await model.close();
    return [`Model ${model.id} ${model.version}.`, "", ...report(runs)];
  });
}
