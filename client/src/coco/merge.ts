import type { CocoAnnotation, CocoDocument, CocoImage } from "./document.ts";

/** Merges documents, for example those of several jobs: categories by their names, everything else under new ids from 1. */
export function mergeCoco(documents: Iterable<CocoDocument>): CocoDocument {
  const categories = new Map<string, number>();
  const images: CocoImage[] = [];
  const annotations: CocoAnnotation[] = [];
  const videos: { id: number }[] = [];
  let tracks = 0;
  for (const document of documents) {
    const names = new Map(document.categories.map(({ id, name }) => [id, name]));
    for (const name of names.values()) if (!categories.has(name)) categories.set(name, categories.size + 1);
    const videoIds = renumber(document.videos ?? [], videos, (video, id) => ({ ...video, id }));
    const imageIds = renumber(document.images, images, (image, id) => {
      const video_id = videoIds.get(image.video_id ?? 0);
      return { ...image, id, ...(video_id !== undefined && { video_id }) };
    });
    const earlier = tracks;
    for (const annotation of document.annotations) {
      const video_id = videoIds.get(annotation.video_id ?? 0);
      const track_id = annotation.track_id === undefined ? undefined : earlier + annotation.track_id;
      tracks = Math.max(tracks, track_id ?? 0);
      annotations.push({
        ...annotation,
        id: annotations.length + 1,
        image_id: imageIds.get(annotation.image_id) ?? 0,
        category_id: categories.get(names.get(annotation.category_id) ?? "") ?? 0,
        ...(track_id !== undefined && { track_id }),
        ...(video_id !== undefined && { video_id }),
      });
    }
  }
  return {
    images,
    categories: [...categories].map(([name, id]) => ({ id, name })),
    annotations,
    ...(videos.length > 0 && { videos }),
  };
}

/** Appends all of them under new ids, and tells which became which. */
function renumber<T extends { readonly id: number }>(
  those: readonly T[],
  to: T[],
  under: (one: T, id: number) => T,
): Map<number, number> {
  return new Map(those.map((one) => [one.id, to.push(under(one, to.length + 1))]));
}
