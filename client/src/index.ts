/** The client of a segmentation job service, for every platform with the Web's APIs. */
export { SegmentationClient, type UploadOptions } from "./client.ts";
export { type EndedPicture, JobHandle, type ResultOptions } from "./job.ts";
export type { CallOptions, ClientOptions, Credential, RequestOptions } from "./options.ts";
export { SegmentationError, type ClientErrorCode, type ErrorCode } from "./errors.ts";
export type {
  ClipRegion,
  EmbedOptions,
  PictureRegion,
  RunOptions,
  SegmentOptions,
  SegmentVideoOptions,
} from "./segment.ts";
export type { Progress } from "./progress.ts";
export type { ByteStream, ResponseLike } from "./http/shapes.ts";
export type { Input, StreamInput, UploadedInput, UrlInput } from "./upload/input.ts";
export type { BlobLike, FileHandleLike } from "./upload/shapes.ts";
export { verifyWebhook } from "./webhook.ts";
export type { WebhookHeaders } from "./webhook-headers.ts";
export type { WebhookEvent } from "./webhook-signature.ts";
export type { JobUpdate } from "./wait/watch.ts";
export type { ReadyArchive } from "./wait/archive.ts";

export { Embedding } from "./results/embedding.ts";
export { type CocoOptions, ImageResult } from "./results/image-result.ts";
export type { Picture } from "./results/picture.ts";
export type { Mask } from "./results/mask.ts";
export { ASSETS, LIMITS } from "./contract.ts";
export { assetKey } from "./results/assets.ts";
export { mapParallel } from "./http/parallel.ts";
export { stemOf, uniqueNames } from "./results/file-names.ts";
export { VideoResult, type MasksJson, type Sighting, type Track } from "./results/video-result.ts";

export type { Bitmap, Box, MaskPng, Polygon, Ring, Rle } from "@segmentation/masks";
export type { CocoAnnotation, CocoCategory, CocoDocument, CocoImage } from "./results/coco.ts";

export type { Api } from "./api/operations.ts";
export type { Answer, ApiPromise, Input as OperationInput, Item, OperationId } from "./api/types.ts";
export type { ApiErrorCode, ArchiveProblemCode, components, TaskProblemCode } from "./contract.ts";
export type * from "./schemas.ts";
