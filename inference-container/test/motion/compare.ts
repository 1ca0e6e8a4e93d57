/** Compares the service's results for a video with the truth. */
import { z } from "zod";
import { decodeRle } from "../support/masks/plain-rle.ts";
import { type Scene, type Truth, truthAt } from "./scene.ts";

const MasksFile = z.object({
  width: z.int(),
  height: z.int(),
  frames: z.array(
    z.object({
      timeSec: z.number(),
      objects: z.array(
        z.object({
          objectId: z.int(),
          rle: z.object({ size: z.tuple([z.int(), z.int()]), counts: z.string() }),
        }),
      ),
    }),
  ),
});

/** One found object; `overlaps` holds the IoU of its mask with each true object's. */
interface Found {
  readonly objectId: number;
  readonly overlaps: Readonly<Record<string, number>>;
}

export interface ComparedFrame {
  readonly timeSec: number;
  readonly truth: readonly Truth[];
  readonly found: readonly Found[];
}

/** Reads a masks.json and measures every mask in it. */
export function compare(scene: Scene, masksJson: Buffer): ComparedFrame[] {
  const { width, height, frames } = MasksFile.parse(JSON.parse(masksJson.toString()));
  if (width !== scene.width || height !== scene.height)
    throw new Error(`The masks are ${width} × ${height}, the video is ${scene.width} × ${scene.height}.`);
  return frames.map(({ timeSec, objects }) => {
    const truth = truthAt(scene, timeSec);
    const found = objects.map(({ objectId, rle }) => {
      const mask = decodeRle(rle);
      return {
        objectId,
        overlaps: Object.fromEntries(truth.map((own) => [own.name, maskIou(mask, own.mask)])),
      };
    });
    return { timeSec, truth, found };
  });
}

/** All ids in the frames. */
export function allIds(frames: readonly ComparedFrame[]): Set<number> {
  return new Set(frames.flatMap(({ found }) => found.map(({ objectId }) => objectId)));
}

/** The true object that a found one overlaps most; undefined if it overlaps none by half. */
function ownerOf({ overlaps }: Found): string | undefined {
  return Object.entries(overlaps).find(([, overlap]) => overlap > 0.5)?.[0];
}

/** The true objects found on a frame, by name; one found twice is named twice. */
export function ownersOn({ found }: ComparedFrame): (string | undefined)[] {
  return found.map(ownerOf).toSorted((a = "", b = "") => a.localeCompare(b));
}

/** The ids under which a true object was found, in order of first appearance. */
export function idsOf(frames: readonly ComparedFrame[], name: string): number[] {
  const own = frames.flatMap(({ found }) => found.filter((object) => ownerOf(object) === name));
  return [...new Set(own.map(({ objectId }) => objectId))];
}

/** The share of the frames that found `name` with at least this overlap, 0 to 1. */
export function shareFound(frames: readonly ComparedFrame[], name: string, overlap: number): number {
  const good = frames.filter(({ found }) => found.some(({ overlaps }) => (overlaps[name] ?? 0) >= overlap));
  return good.length / frames.length;
}

/** The visible share of a true object on a frame, 0 to 1. */
export function visibleShare({ truth }: ComparedFrame, name: string): number {
  return truth.find((object) => object.name === name)?.visibleShare ?? 0;
}

function maskIou(mask: readonly boolean[], truth: Uint8Array): number {
  let [both, either] = [0, 0];
  truth.forEach((value, i) => {
    if (value === 1 && (mask[i] ?? false)) both += 1;
    if (value === 1 || (mask[i] ?? false)) either += 1;
  });
  return either === 0 ? 0 : both / either;
}
