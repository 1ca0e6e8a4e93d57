/** A picture whose features are still on the device, so that SAM 2 draws further masks in it. */
import type { Held } from "../../device/held.ts";
import { fromValues } from "../../device/values.ts";
import { Usage } from "../../device/usage.ts";
import { cleanMask, type Cleaning } from "../clean-mask.ts";
import { floatValues } from "../tensors.ts";
import type {
  DrawnRegion,
  Instance,
  LogitGrid,
  OpenPicture,
  Picture,
  Region,
  Segmentation,
  SegmentRequest,
} from "../model.ts";
import { Embedding } from "./appearance.ts";
import type { Segmenter } from "./segmenter.ts";

/** The features' role from which appearances are read. */
const EMBEDDING = "embedding";

export class Sam2Picture implements OpenPicture {
  readonly #segmenter: Segmenter;
  readonly #cleaning: Cleaning;
  readonly #picture: Picture;
  readonly #usage: Usage;
  #features: Held | undefined;
  #embedding: Embedding | undefined;

  constructor(segmenter: Segmenter, cleaning: Cleaning, picture: Picture, usage: Usage) {
    this.#segmenter = segmenter;
    this.#cleaning = cleaning;
    this.#picture = picture;
    this.#usage = usage;
  }

  /** The picture's features, computed when they are first needed; the caller lets go of its share. */
  async share(): Promise<Held> {
    return (await this.#held()).share();
  }

  /** What an object looks like, given its mask. */
  async appearance(mask: LogitGrid): Promise<Float32Array> {
    this.#embedding ??= embeddingOf(await this.#held());
    return this.#embedding.appearance(mask);
  }

  /** @throws as the device, and Error if the encoder has no embedding of floats */
  async draw(regions: readonly Region[]): Promise<DrawnRegion[]> {
    if (regions.length === 0) return [];
    const drawn = await this.#segmenter.redraw(await this.#held(), regions, this.#picture, this.#usage);
    return Promise.all(
      drawn.map(async ({ mask, quality }) => {
        const cleaned = cleanMask(mask, this.#cleaning);
        return { mask: cleaned, quality, appearance: await this.appearance(cleaned) };
      }),
    );
  }

  [Symbol.dispose](): void {
    this.#features?.[Symbol.dispose]();
    this.#features = undefined;
    this.#embedding = undefined;
  }

  async #held(): Promise<Held> {
    this.#features ??= await this.#segmenter.encode(this.#picture, this.#usage, [EMBEDDING]);
    return this.#features;
  }
}

/** @throws Error if the encoder has no embedding of floats */
function embeddingOf({ tensors }: Held): Embedding {
  const copy = tensors[EMBEDDING]?.copy;
  const values = copy === undefined ? undefined : floatValues(fromValues(copy));
  if (copy === undefined || values === undefined) throw new Error("The encoder gave no embedding of floats.");
  return new Embedding(values, copy.dims);
}

/**
 * Segments a picture. If the request asks for it, the picture is opened for that; what is found gets the open picture, and
 * each instance what it looks like. The picture is closed if that fails.
 */
export async function segmentOpen(
  segmenter: Segmenter,
  cleaning: Cleaning,
  picture: Picture,
  { keepOpen, usage }: SegmentRequest,
  segment: (open?: Sam2Picture) => Promise<Segmentation>,
): Promise<Segmentation> {
  if (keepOpen !== true) return segment();
  const open = new Sam2Picture(segmenter, cleaning, picture, new Usage(usage));
  try {
    const found = await segment(open);
    const instances: Instance[] = [];
    for (const one of found.instances)
      instances.push({ ...one, appearance: await open.appearance(one.mask) });
    return { ...found, instances, open };
  } catch (error) {
    open[Symbol.dispose]();
    throw error;
  }
}
