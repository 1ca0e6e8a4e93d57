/** Masks and documents of them, for programs that work with pixels: apart from the client, which loads them when it needs them. */
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
export { Mask } from "./results/mask.ts";
export { Picture } from "./results/picture.ts";
