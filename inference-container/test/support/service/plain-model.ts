/** The fixture model without regions and embeddings. */
import { loadModel as loadFixture } from "./fixture-model.ts";
import type { Model } from "../../../src/models/model.ts";

export async function loadModel(folder: string): Promise<Model> {
  const {
    drawsRegions: _,
    followsRegions: __,
    decoder: ___,
    findsAlike: ____,
    ...model
  } = await loadFixture(folder);
  return { ...model, id: "plain" };
}
