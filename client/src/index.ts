/** A client of a segmentation job service, for every platform with the Web's APIs. */
export { SegmentationClient, type Abortable, type UploadOptions } from "./client.ts";
export type { ClientOptions, Credential, RequestOptions } from "./options.ts";
export { SegmentationError, type ClientErrorCode, type ErrorCode } from "./errors.ts";
export type { PictureRegion, RunOptions, SegmentOptions, SegmentVideoOptions } from "./segment.ts";
export type { Progress } from "./progress.ts";
export type { Input } from "./upload/input.ts";
export type { JobUpdate } from "./wait/watch.ts";
export type { ReadyArchive } from "./wait/archive.ts";

export { ImageResult } from "./results/image-result.ts";
export { Picture } from "./results/picture.ts";
export { Mask } from "./results/mask.ts";
export { stemOf, uniqueNames } from "./results/file-names.ts";
export { VideoResult, type MasksJson, type Sighting, type Track } from "./results/video-result.ts";

export { iou, type Bitmap, type Box } from "./masks/bitmap.ts";
export { measure as measureMask } from "./masks/packed.ts";
export { readMaskPng, readMaskTexts, type MaskPng } from "./masks/png.ts";
export { decodeRle, encodeRle, type Rle } from "./masks/rle.ts";
export { polygonsOf, type Polygon, type Ring } from "./masks/polygons.ts";
export { cocoFromMasks } from "./coco/from-masks.ts";
export { mergeCoco } from "./coco/merge.ts";
export type { CocoAnnotation, CocoDocument, CocoImage } from "./coco/document.ts";

export type { Answer, Api, ApiPromise, Input as OperationInput, Item, OperationId } from "./api/types.ts";
export type { ApiErrorCode, ArchiveProblemCode, components, TaskProblemCode } from "./contract.ts";
export type * from "./schemas.ts";
