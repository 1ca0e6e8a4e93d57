/**
 * SAM 2 on a simulated GPU: all the work around the graphs is real, and the graphs only take time on the device's thread. The
 * prompt "30 ms" finds twenty objects, for which encoder and decoder together take thirty milliseconds.
 */
import { Device } from "../../../../inference-container/src/device/device.ts";
import { Usage } from "../../../../inference-container/src/device/usage.ts";
import { Graph } from "../../../../inference-container/src/models/graph.ts";
import type { GraphSpec } from "../../../../inference-container/src/models/manifest.ts";
import type { Region } from "@segmentation/masks";
import type { Model, Picture } from "../../../../inference-container/src/models/model.ts";
import { heldMemory } from "../../../../inference-container/src/models/memory/remembered.ts";
import { type Drawing, Sam2Picture } from "../../../../inference-container/src/models/sam2/open-picture.ts";
import { Segmenter } from "../../../../inference-container/src/models/sam2/segmenter.ts";
import { embeddedManifest } from "./manifest.ts";

/** Number of objects in a picture, in a grid. */
export const OBJECTS = 20;
const COLUMNS = 5;
/** The share of the cost that the encoder takes; the rest is the decoder's. */
const ENCODER_SHARE = 0.6;

/** Opens the model; each cost opens its own graphs when it is first asked for. */
export async function loadModel(): Promise<Model> {
  const manifest = await embeddedManifest();
  const device = new Device(new URL("thread.ts", import.meta.url));
  const load = (spec: GraphSpec, name: string, ms: number): Promise<Graph> =>
    Graph.load(device, "", { ...spec, file: `${name} ${ms} ms` }, CPU);
  const openAt = async (cost: number): Promise<Drawing> => {
    const { encoder, decoder } = manifest.graphs;
    const segmenter = new Segmenter(
      await load(encoder, "encoder", cost * ENCODER_SHARE),
      await load(decoder, "decoder", (cost * (1 - ENCODER_SHARE)) / OBJECTS),
      manifest,
    );
    const recall = { votes: () => Promise.reject(new Error("The fake tracks no objects.")) };
    return { segmenter, recall, cleaning: manifest.masks, features: heldMemory(0) };
  };
  const opened = new Map<string, Promise<Drawing>>();
  return {
    id: "gpu-fake",
    version: "1.0.0",
    provider: "cpu",
    concurrency: 1,
    family: "builtin",
    segment: async (picture, { prompts: [prompt = ""], usage: whole }) => {
      const drawing = opened.get(prompt) ?? openAt(Number.parseFloat(prompt));
      opened.set(prompt, drawing);
      const usage = new Usage(whole);
      // Without its hash, so that its features are never cached.
      using open = new Sam2Picture(await drawing, { ...picture, contentHash: null }, usage, false);
      const regions = boxesIn(picture);
      const drawn = await open.draw(regions);
      const instances = drawn.map(({ mask, quality: score }, at) => {
        return { promptIndex: 0, score, box: regions[at]?.box ?? [0, 0, 1, 1], mask, faint: false } as const;
      });
      return { instances, unserved: [], modelMs: usage.ms, featuresCached: false };
    },
    close: () => device.close(),
  };
}

const CPU = { provider: "cpu", device: 0, cpuNodes: true, threads: 1 } as const;

function boxesIn({ width, height }: Picture): (Region & { readonly box: NonNullable<Region["box"]> })[] {
  const [across, down] = [width / COLUMNS, (height * COLUMNS) / OBJECTS];
  return Array.from({ length: OBJECTS }, (_, at) => {
    const [x, y] = [(at % COLUMNS) * across, Math.floor(at / COLUMNS) * down];
    return { box: [x, y, x + across, y + down] };
  });
}
