import type { CocoAnnotation, CocoDocument, CocoImage } from "./document.ts";

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
  add(document: CocoDocument): {
    readonly images: readonly CocoImage[];
    readonly annotations: readonly CocoAnnotation[];
    readonly videos: NonNullable<CocoDocument["videos"]>;
  } {
    const names = new Map(document.categories.map(({ id, name }) => [id, name]));
    for (const name of names.values())
      if (!this.#categories.has(name)) this.#categories.set(name, this.#categories.size + 1);
    const videoIds = new Map((document.videos ?? []).map(({ id }) => [id, ++this.#videos]));
    const imageIds = new Map(document.images.map(({ id }) => [id, ++this.#images]));
    const earlier = this.#tracks;
    const annotations = document.annotations.map((annotation) => {
      const video_id = videoIds.get(annotation.video_id ?? 0);
      const track_id = annotation.track_id === undefined ? undefined : earlier + annotation.track_id;
      this.#tracks = Math.max(this.#tracks, track_id ?? 0);
      return {
        ...annotation,
        id: ++this.#annotations,
        image_id: imageIds.get(annotation.image_id) ?? 0,
        category_id: this.#categories.get(names.get(annotation.category_id) ?? "") ?? 0,
        ...(track_id !== undefined && { track_id }),
        ...(video_id !== undefined && { video_id }),
      };
    });
    return {
      images: document.images.map((image) => {
        const video_id = videoIds.get(image.video_id ?? 0);
        return { ...image, id: imageIds.get(image.id) ?? 0, ...(video_id !== undefined && { video_id }) };
      }),
      annotations,
      videos: (document.videos ?? []).map((video) =>
        Object.assign({}, video, { id: videoIds.get(video.id) ?? 0 }),
      ),
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
