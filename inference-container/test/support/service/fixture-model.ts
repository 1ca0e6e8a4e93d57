/**
 * A model without weights: bright regions of the picture are the objects. Prompts control it: "bright" finds the bright
 * regions, "nothing" finds none, "stripes" finds eight at once, others are outside its vocabulary; "hang" holds the
 * device for ever, "slow" for half a second, "crash" ends the process, "throw" fails; "mute" never asks for the device,
 * "block" blocks the engine's own thread instead, and "collapse" ends the process while others may have the device.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { LogitGrid, Region } from "@segmentation/masks";
import type {
  DrawnRegion,
  Instance,
  Model,
  Picture,
  PictureEmbedding,
  SegmentRequest,
  Segmentation,
} from "../../../src/models/model.ts";
import { Turns } from "./turns.ts";

const GRID = 32;
const RULES = { width: 32, height: 32, islandShare: 0.05, holeShare: 0.5 };
const VOCABULARY = new Set(["bright", "nothing", "stripes", "slow", "faint"]);

/** Loads at once; a folder named "broken" can't be loaded, one named "late" takes a second. */
export async function loadModel(folder: string): Promise<Model> {
  if (folder.endsWith("broken")) throw new Error("manifest.json is missing in the model folder.");
  if (folder.endsWith("late")) await sleep(1_000);
  const seen = new Set<string>();
  const turns = new Turns();
  return {
    id: "fixture",
    version: "1.0.0",
    provider: "cpu",
    concurrency: 1,
    family: "fixture",
    drawsRegions: true,
    followsRegions: true,
    decoder: { name: "fixture-decoder.onnx", role: "graph", size: 17, sha256: "5a".repeat(32) },
    findsAlike: true,
    segment: async (picture, request) => {
      if (request.prompts.includes("mute")) await never();
      if (request.prompts.includes("collapse")) process.kill(process.pid, "SIGKILL");
      if (request.prompts.includes("block")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      await turns.run(request.usage, () => misbehave(request.prompts));
      const { contentHash } = picture;
      const featuresCached = contentHash !== null && seen.has(contentHash);
      if (contentHash !== null) seen.add(contentHash);
      const embedding = request.withEmbedding === true && { embedding: embeddingOf(picture) };
      return { ...find(picture, request), ...embedding, modelMs: 1, featuresCached };
    },
    close: () => Promise.resolve(),
  };
}

/** Features of which the reader knows the picture: its width and its height. */
const embeddingOf = ({ width, height }: Picture): PictureEmbedding => ({
  model: { id: "fixture", version: "1.0.0" },
  decoder: RULES,
  tensors: [
    {
      name: "size",
      dims: [2],
      blocks: [1, 2, 1],
      minimum: Float32Array.of(0),
      step: Float32Array.of(1),
      bytes: Uint8Array.of(width, height),
    },
  ],
});

async function misbehave(prompts: readonly string[]): Promise<void> {
  if (prompts.includes("slow")) await sleep(500);
  if (prompts.includes("throw")) throw new Error("a graph failed");
  if (prompts.includes("crash")) process.kill(process.pid, "SIGKILL");
  if (prompts.includes("hang")) await never();
}

const never = (): Promise<never> => new Promise<never>(() => undefined);

function find(
  picture: Picture,
  request: SegmentRequest,
): Pick<Segmentation, "instances" | "unserved" | "regions" | "alike"> {
  const instances: Instance[] = [];
  const unserved: Segmentation["unserved"][number][] = [];
  request.prompts.forEach((prompt, promptIndex) => {
    if (!VOCABULARY.has(prompt))
      unserved.push({ promptIndex, message: `"${prompt}" is not in the vocabulary.` });
    for (const [score, mask] of objects(picture, prompt)) {
      if (score < request.threshold) continue;
      const box = boundsOf(mask, picture);
      instances.push({ promptIndex, score, box, mask, faint: false });
    }
  });
  const alike = (request.examples ?? []).flatMap((examples, exampleIndex) =>
    examples.map((region, i) => {
      const { mask } = drawn(region, picture);
      return { exampleIndex, score: 0.9 - i / 10, box: boundsOf(mask, picture), mask };
    }),
  );
  return {
    instances,
    unserved,
    regions: (request.regions ?? []).map((region) => drawn(region, picture)),
    ...(alike.length > 0 && { alike }),
  };
}

/** A region's box, or the cells around its points that are on the object, joined with the corrected mask. */
function drawn(region: Region, { width, height }: Picture): DrawnRegion {
  const near = (x: number, y: number): boolean => {
    if (region.box !== undefined) {
      const [x1, y1, x2, y2] = region.box;
      return x > x1 && x < x2 && y > y1 && y < y2;
    }
    const reach = Math.max(width, height) / 8;
    return region.points.some((point) => point.label === 1 && Math.hypot(x - point.x, y - point.y) < reach);
  };
  const hadBefore = (x: number, y: number): boolean => {
    if (region.prior === undefined) return false;
    const step = region.prior.width / GRID;
    return (
      (region.prior.logits[Math.floor((y + 0.5) * step) * region.prior.width + (x + 0.5) * step] ?? 0) > 0
    );
  };
  const mask = grid((x, y) =>
    hadBefore(x, y) || near(((x + 0.5) * width) / GRID, ((y + 0.5) * height) / GRID) ? 9 : -9,
  );
  return { mask, quality: region.box !== undefined ? 0.8 : 1.02 };
}

/** "stripes" has in the middle one grid without any set pixel, which must not count. */
function objects(picture: Picture, prompt: string): [score: number, mask: LogitGrid][] {
  if (prompt === "bright") return [[0.9, bright(picture)]];
  if (prompt === "faint") return [[0.3, bright(picture)]];
  if (prompt !== "stripes") return [];
  return Array.from({ length: 9 }, (_, i) => [
    0.95 - i / 20,
    i === 4 ? grid(() => -9) : grid((x) => (x % 9 === (i < 4 ? i : i - 1) ? 9 : -9)),
  ]);
}

/** The box around a grid's positive cells, in picture pixels. */
function boundsOf({ logits }: LogitGrid, { width, height }: Picture): Instance["box"] {
  const set = [...logits.keys()].filter((cell) => (logits[cell] ?? 0) > 0);
  if (set.length === 0) return [0, 0, width, height];
  const [columns, rows] = [set.map((cell) => cell % GRID), set.map((cell) => Math.floor(cell / GRID))];
  return [
    (Math.min(...columns) / GRID) * width,
    (Math.min(...rows) / GRID) * height,
    ((Math.max(...columns) + 1) / GRID) * width,
    ((Math.max(...rows) + 1) / GRID) * height,
  ];
}

function bright({ width, height, rgb }: Picture): LogitGrid {
  return grid((x, y) => {
    const px = Math.floor(((x + 0.5) / GRID) * width);
    const py = Math.floor(((y + 0.5) / GRID) * height);
    return ((rgb[(py * width + px) * 3 + 1] ?? 0) - 127.5) / 16;
  });
}

function grid(logitAt: (x: number, y: number) => number): LogitGrid {
  const logits = Float32Array.from({ length: GRID * GRID }, (_, i) =>
    logitAt(i % GRID, Math.floor(i / GRID)),
  );
  return { width: GRID, height: GRID, logits };
}
