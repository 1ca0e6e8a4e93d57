import type { Rle } from "@segmentation/masks";
import type { Mask } from "./mask.ts";

/** A picture of a COCO document, or a frame of a video. */
export interface CocoImage {
  readonly id: number;
  readonly file_name: string;
  readonly width: number;
  readonly height: number;
  readonly video_id?: number;
}

/** One object in a picture. */
export interface CocoAnnotation {
  readonly id: number;
  readonly image_id: number;
  readonly category_id: number;
  /** Left, top, width, height in pixels. */
  readonly bbox: readonly number[];
  readonly area: number;
  /** The confidence, 0 to 1. */
  readonly score: number;
  readonly iscrowd: 0;
  readonly segmentation: Rle;
  /** The same in all frames for one tracked object of a video. */
  readonly track_id?: number;
  readonly video_id?: number;
}

/** A class of objects. */
export interface CocoCategory {
  readonly id: number;
  readonly name: string;
}

/** A COCO document of instance masks (the dataset's "object detection" format). */
export interface CocoDocument {
  readonly images: readonly CocoImage[];
  readonly categories: readonly CocoCategory[];
  readonly annotations: readonly CocoAnnotation[];
  readonly videos?: readonly { readonly id: number }[];
}

/** Categories with the ids that the service gives prompts: 1 for the first. */
export const numbered = (prompts: readonly string[]): CocoCategory[] =>
  prompts.map((name, i) => ({ id: i + 1, name }));

/** The ids of categories by their names: known ones keep theirs, and others get the next ones as they appear. */
export class CategoryIds {
  readonly #ids: Map<string, number>;
  #next: number;

  /** @param next the least id that another category may get */
  constructor(known: readonly CocoCategory[] = [], next = 1) {
    this.#ids = new Map(known.map(({ id, name }) => [name, id]));
    this.#next = Math.max(next, ...known.map(({ id }) => id + 1));
  }

  of(name: string): number {
    const id = this.#ids.get(name) ?? this.#next++;
    this.#ids.set(name, id);
    return id;
  }

  get all(): CocoCategory[] {
    return [...this.#ids].map(([name, id]) => ({ id, name }));
  }
}

/**
 * The COCO document of one picture, made from its masks. A picture without any is left out, because its size is known only from its masks.
 * @param name the picture's `file_name` @param prompts the job's, which are the first categories
 */
export async function cocoFromMasks(
  name: string,
  masks: readonly Mask[],
  prompts: readonly string[] = [],
): Promise<CocoDocument> {
  const ids = new CategoryIds(numbered(prompts));
  const [first] = masks;
  const annotations = masks.map(async (mask, i) => ({
    id: i + 1,
    image_id: 1,
    category_id: ids.of(categoryOf(mask)),
    bbox: mask.box,
    area: mask.area,
    score: mask.confidence,
    iscrowd: 0 as const,
    segmentation: await mask.rle(),
  }));
  return {
    images: first ? [{ id: 1, file_name: name, width: first.width, height: first.height }] : [],
    annotations: await Promise.all(annotations),
    categories: ids.all,
  };
}

/** Returns an object's name as in the service's COCO: its prompt, or its region's label. */
export const categoryOf = ({
  prompt,
  label,
}: {
  readonly prompt?: string | undefined;
  readonly label?: string | undefined;
}): string => prompt ?? label ?? "region";

/** Takes document after document, and gives each one's parts under the ids that they have in the merged one. */
export class CocoMerger {
  readonly #categories: CategoryIds;
  #images = 0;
  #annotations = 0;
  #videos = 0;
  #tracks = 0;

  /** @param known categories that keep their ids */
  constructor(known: readonly CocoCategory[] = []) {
    this.#categories = new CategoryIds(known);
  }

  /** All categories so far. */
  get categories(): CocoDocument["categories"] {
    return this.#categories.all;
  }

  /** The next document's parts, renumbered. */
  add({
    images,
    categories,
    annotations,
    videos = [],
  }: CocoDocument): Required<Omit<CocoDocument, "categories">> {
    const categoryIds = new Map(categories.map(({ id, name }) => [id, this.#categories.of(name)]));
    const videoIds = new Map(videos.map(({ id }) => [id, ++this.#videos]));
    const imageIds = new Map(images.map(({ id }) => [id, ++this.#images]));
    const ofVideo = (id: number | undefined) => id !== undefined && { video_id: videoIds.get(id) ?? 0 };
    const tracks = this.#tracks;
    const ofTrack = (id: number | undefined) => {
      if (id === undefined) return {};
      this.#tracks = Math.max(this.#tracks, tracks + id);
      return { track_id: tracks + id };
    };
    return {
      images: images.map((image) => ({
        ...image,
        id: imageIds.get(image.id) ?? 0,
        ...ofVideo(image.video_id),
      })),
      annotations: annotations.map((annotation) => ({
        ...annotation,
        id: ++this.#annotations,
        image_id: imageIds.get(annotation.image_id) ?? 0,
        category_id: categoryIds.get(annotation.category_id) ?? 0,
        ...ofTrack(annotation.track_id),
        ...ofVideo(annotation.video_id),
      })),
      videos: videos.map((video) => ({ ...video, id: videoIds.get(video.id) ?? 0 })),
    };
  }
}

/**
 * Merges documents, for example those of several jobs: categories by their names, everything else under new ids from 1.
 * @param known categories that keep their ids, such as the class list of a dataset; others get the next ids as they appear
 */
export function mergeCoco(
  documents: Iterable<CocoDocument>,
  known: readonly CocoCategory[] = [],
): CocoDocument {
  const merger = new CocoMerger(known);
  const parts = Array.from(documents, (document) => merger.add(document));
  const videos = parts.flatMap((part) => part.videos);
  return {
    images: parts.flatMap((part) => part.images),
    categories: merger.categories,
    annotations: parts.flatMap((part) => part.annotations),
    ...(videos.length > 0 && { videos }),
  };
}
