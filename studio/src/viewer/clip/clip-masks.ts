import type { MasksJson } from "segmentation-client";
import { MaskIndexes } from "../masks/mask-store.ts";
import type { ShownMasks } from "../stage/stage.ts";
import type { Colour, MaskSource } from "../types.ts";

/** A tracked object of a video, as shown. */
export interface ShownObject {
  /** As in masks.json. */
  readonly objectId: number;
  readonly colour: Colour;
  readonly visible: boolean;
  /** Displayed name, such as "person 2". */
  readonly label: string;
}

/** Number of processed frames ahead of the visible one whose masks are decoded. */
const AHEAD = 8;

/** The object whose mask a stage calls so. */
export const objectOf = (key: string): number => Number(key.slice(key.lastIndexOf(":") + 1));

/** Counter of videos' masks: those of another job have other keys, even for the same frames. */
let clips = 0;

/** The masks of a video's processed frames, for a stage. */
export class ClipMasks {
  readonly #frames: MasksJson["frames"];
  readonly #indexes = new MaskIndexes();
  readonly #clip = ++clips;

  constructor({ frames }: MasksJson) {
    this.#frames = frames;
  }

  /** Returns a stage's key for the mask of an object in a processed frame. */
  keyOf(sample: number, objectId: number): string {
    return `${this.#clip}:${sample}:${objectId}`;
  }

  /** Returns the masks of a processed frame (-1: none) for a stage, with those that it will need soon. */
  of(sample: number, objects: readonly ShownObject[]): ShownMasks {
    const indexes = this.#indexes.of(objects.map(({ objectId }) => String(objectId)));
    const indexOf = (objectId: number): number => indexes.get(String(objectId)) ?? 0;
    const visible = new Set(objects.filter((each) => each.visible).map(({ objectId }) => objectId));
    const sources = new Map<string, MaskSource>();
    const first = Math.max(sample, 0);
    for (const [i, frame] of this.#frames.slice(first, first + AHEAD).entries())
      for (const { objectId, rle } of frame.objects) sources.set(this.keyOf(first + i, objectId), rle);
    const seen = (this.#frames[sample]?.objects ?? []).filter(({ objectId }) => visible.has(objectId));
    return {
      sources,
      masks: seen.map(({ objectId }) => ({ key: this.keyOf(sample, objectId), index: indexOf(objectId) })),
      colours: new Map(objects.map(({ objectId, colour }) => [indexOf(objectId), colour])),
    };
  }
}
