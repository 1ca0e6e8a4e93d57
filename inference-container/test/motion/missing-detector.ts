/**
 * The service's own models, with a detector that misses everything in some frames of each video: objects found there
 * were drawn without it.
 */
import type { LoadOptions } from "../../src/models/loaded-model.ts";
import { loadModel as load } from "../../src/models/load.ts";
import type { Model } from "../../src/models/model.ts";

/** The frames in which it misses everything, from the module's URL: from one, counted from 0, to before another. */
const { searchParams } = new URL(import.meta.url);
const from = Number(searchParams.get("from"));
const to = Number(searchParams.get("to"));

export async function loadModel(folder: string, options: Partial<LoadOptions>): Promise<Model> {
  const model = await load(folder, options);
  const frames = new Map<unknown, number>();
  const { id, version, family, provider, concurrency } = model;
  return {
    id,
    version,
    provider,
    concurrency,
    family,
    segment: async (picture, request) => {
      const clip = request.usage?.work;
      const frame = frames.get(clip) ?? 0;
      frames.set(clip, frame + 1);
      const found = await model.segment(picture, request);
      return frame >= from && frame < to ? { ...found, instances: [] } : found;
    },
    close: () => model.close(),
  };
}
