/** Where clips with their masks are seen. To be imported when there is a clip. */
export { ClipViewer, type ClipViewerProps } from "./clip-viewer.tsx";
export type { ShownObject } from "./clip-masks.ts";
export { followFrames, tellsFrames } from "./frames.ts";
