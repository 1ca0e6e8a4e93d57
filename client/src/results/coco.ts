import type { Rle } from "@segmentation/masks";
import type { Mask } from "./mask.ts";

/** A picture of a COCO document, or a frame of a clip. */
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
  /** The same in all frames for one tracked object of a clip. */
  readonly track_id?: number;
  readonly video_id?: number;
}

/** A COCO document of instance masks (the dataset's "object detection" format). */
export interface CocoDocument {
  readonly images: readonly CocoImage[];
  readonly categories: readonly { readonly id: number; readonly name: string }[];
  readonly annotations: readonly CocoAnnotation[];
  readonly videos?: readonly { readonly id: number }[];
}

/**
 * The COCO document of one picture, made from its masks. A picture without any is left out, because its size is known only from its masks.
 * @param name the picture's `file_name`
 */
export async function cocoFromMasks(name: string, masks: readonly Mask[]): Promise<CocoDocument> {
  const names = [...new Set(masks.map(categoryOf))];
  const [first] = masks;
  return {
    images: first ? [{ id: 1, file_name: name, width: first.width, height: first.height }] : [],
    categories: names.map((category, i) => ({ id: i + 1, name: category })),
    annotations: await Promise.all(
      masks.map(async (mask, i) => ({
        id: i + 1,
        image_id: 1,
        category_id: names.indexOf(categoryOf(mask)) + 1,
        bbox: mask.box,
        area: mask.area,
        score: mask.confidence,
        iscrowd: 0 as const,
        segmentation: await mask.rle(),
      })),
    ),
  };
}

/** What an object is called, as the service calls it in COCO: by its prompt, or its region's label. */
export const categoryOf = ({
  prompt,
  label,
}: {
  readonly prompt?: string | undefined;
  readonly label?: string | undefined;
}): string => prompt ?? label ?? "region";

/** Takes document after document, and gives each one's parts under the ids that they have in the merged one. */
export class CocoMerger {
  readonly #categories = new Map<string, number>();
  #images = 0;
  #annotations = 0;
  #videos = 0;
  #tracks = 0;

  /** All categories so far. */
  get categories(): CocoDocument["categories"] {
    return [...this.#categories].map(([name, id]) => ({ id, name }));
  }

  /** The next document's parts, renumbered. */
  add({
    images,
    categories,
    annotations,
    videos = [],
  }: CocoDocument): Required<Omit<CocoDocument, "categories">> {
    for (const { name } of categories)
      if (!this.#categories.has(name)) this.#categories.set(name, this.#categories.size + 1);
    const categoryIds = new Map(categories.map(({ id, name }) => [id, this.#categories.get(name) ?? 0]));
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

/** Merges documents, for example those of several jobs: categories by their names, everything else under new ids from 1. */
export function mergeCoco(documents: Iterable<CocoDocument>): CocoDocument {
  const merger = new CocoMerger();
  const parts = Array.from(documents, (document) => merger.add(document));
  const videos = parts.flatMap((part) => part.videos);
  return {
    images: parts.flatMap((part) => part.images),
    categories: merger.categories,
    annotations: parts.flatMap((part) => part.annotations),
    ...(videos.length > 0 && { videos }),
  };
}
