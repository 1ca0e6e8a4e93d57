/** Where pictures with their masks are seen and pointed at. Clips have a module of their own: `./clip/index.ts`, to be imported when needed. */
export { PictureViewer, type PictureViewerProps } from "./picture-viewer.tsx";
export { maskColour } from "./colours.ts";
export type { Colour, Layer, MaskSource, Point, Region, RegionPoint, Size, Tool } from "./types.ts";
