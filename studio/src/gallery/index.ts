/** A batch as a gallery. To be imported when there is one. */
export { Gallery, type GalleryProps } from "./gallery.tsx";
export type { GalleryItem, GalleryMask } from "./items.ts";
