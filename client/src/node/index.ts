/** The client with the parts that need a file system: for Node, Deno and Bun. */
export * from "../index.ts";
export * from "../masks.ts";
export { SegmentationClient } from "./client.ts";
export { Embedding, ImageResult, type ImageSaveOptions, VideoResult } from "./results.ts";
export type { Format, SaveOptions } from "./save.ts";
