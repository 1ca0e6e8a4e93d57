import { join } from "node:path";
import { expect, test } from "vitest";
import { type Stage, Usage } from "../../src/device/usage.ts";
import { ensureBuiltin } from "../../src/models/fetch/ensure-builtin.ts";
import { openModel } from "../../src/models/load.ts";
import { Sam2Model } from "../../src/models/sam2/model.ts";
import { decodePicture } from "../../src/pictures/decode.ts";

/** The boxes per run of the embedded model's decoder, as its manifest says. */
const BATCH = 8;

test("the embedded model's decoder runs in each shape, after one run of the encoder", async () => {
  const folder = await ensureBuiltin();
  const model = await openModel(folder);
  try {
    if (!(model instanceof Sam2Model)) throw new Error("The embedded model has no SAM 2.");
    const picture = await decodePicture(join(folder, "golden.jpg"), "golden", 1e8);
    const stages: Stage[] = [];
    await model.warmUp(picture, new Usage(undefined, (stage) => stages.push(stage)));
    expect(stages.filter((stage) => stage === "model")).toHaveLength(1 + 1 + 2 * BATCH + 1);
  } finally {
    await model.close();
  }
});
