/** A client of a segmentation job service, for every platform with the Web's APIs. */
export { SegmentationClient, type UploadOptions } from "./client.ts";
export { type EndedPicture, JobHandle, type ResultOptions } from "./job.ts";
export type { CallOptions, ClientOptions, Credential, RequestOptions } from "./options.ts";
export { SegmentationError, type ClientErrorCode, type ErrorCode } from "./errors.ts";
export type { PictureRegion, RunOptions, SegmentOptions, SegmentVideoOptions } from "./segment.ts";
export type { Progress } from "./progress.ts";
export type { Input, StreamInput, UrlInput } from "./upload/input.ts";
export { verifyWebhook, type WebhookEvent, type WebhookHeaders } from "./webhook.ts";
export type { JobUpdate } from "./wait/watch.ts";
export type { ReadyArchive } from "./wait/archive.ts";

export { ImageResult } from "./results/image-result.ts";
export { Picture } from "./results/image-result.ts";
export { Mask } from "./results/mask.ts";
export { ASSETS } from "./contract.ts";
export { assetKey } from "./results/assets.ts";
export { mapParallel } from "./http/parallel.ts";
export { stemOf, uniqueNames } from "./results/file-names.ts";
export { VideoResult, type MasksJson, type Sighting, type Track } from "./results/video-result.ts";

export {
  type Bitmap,
  type Box,
  decodeRle,
  encodeRle,
  iou,
  type MaskPng,
  measureMask,
  type Polygon,
  polygonsOf,
  readMaskPng,
  readMaskTexts,
  type Ring,
  type Rle,
} from "@segmentation/masks";
export {
  type CocoAnnotation,
  type CocoDocument,
  cocoFromMasks,
  type CocoImage,
  mergeCoco,
} from "./results/coco.ts";

export type { Api } from "./api/operations.ts";
export type { Answer, ApiPromise, Input as OperationInput, Item, OperationId } from "./api/types.ts";
export type { ApiErrorCode, ArchiveProblemCode, components, TaskProblemCode } from "./contract.ts";
export type * from "./schemas.ts";
