/** Masks and their file formats, for every platform with the Web's APIs. */
export * from "./bitmap.ts";
export * from "./brush-rle.ts";
export * from "./colour.ts";
export * from "./crc32.ts";
export * from "./embedding.ts";
export * from "./file-kinds.ts";
export * from "./label-map.ts";
export * from "./read-mask-png.ts";
export * from "./polygons.ts";
export * from "./prompts.ts";
export * from "./rle.ts";
export { isFirstEdge, outlinesOf } from "./outlines.ts";
export * from "./row-runs.ts";
export * from "./yolo.ts";
