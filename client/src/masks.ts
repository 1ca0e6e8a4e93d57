/**
 * Masks and their documents, for programs that work with pixels. The client loads this module only when it needs it.
 */
export {
  type Bitmap,
  type Box,
  decodeRle,
  type EmbeddedTensor,
  type EmbeddingData,
  encodeRle,
  iou,
  type MaskPng,
  measureMask,
  type Polygon,
  polygonsOf,
  readEmbedding,
  readMaskPng,
  readMaskTexts,
  type Ring,
  type Rle,
  valuesOf,
} from "@segmentation/masks";
export {
  categoryOf,
  type CocoAnnotation,
  type CocoCategory,
  type CocoDocument,
  cocoFromMasks,
  type CocoImage,
  mergeCoco,
} from "./results/coco.ts";
export { Mask } from "./results/mask.ts";
export { Picture } from "./results/picture.ts";
