/** Reads the mask of an earlier result, which a region corrects. */
import sharp from "sharp";
import { taskFailure } from "../failures.ts";
import { type LogitGrid, priorOf, type Size } from "@segmentation/masks";

/**
 * The mask as logits.
 * @param index the region's, for the failure @param picture the size that the mask must have
 * @param side of the model's grid
 * @throws TaskFailure named prior_mask_unusable
 */
export async function readPriorMask(
  path: string,
  index: number,
  picture: Size,
  side?: number,
): Promise<LogitGrid> {
  const unreadable = () => taskFailure("prior_mask_unusable", { index, reason: "can't be read" });
  const mask = sharp(path, { failOn: "error", limitInputPixels: picture.width * picture.height });
  const { width, height } = await sharp(path, { limitInputPixels: false })
    .metadata()
    .catch(() => {
      throw unreadable();
    });
  if (width !== picture.width || height !== picture.height)
    throw taskFailure("prior_mask_unusable", {
      index,
      reason: `has ${width} × ${height} pixels, but the picture has ${picture.width} × ${picture.height}`,
    });
  const data = await mask
    .toColourspace("b-w")
    .extractChannel(0)
    .raw({ depth: "uchar" })
    .toBuffer()
    .catch(() => {
      throw unreadable();
    });
  return priorOf({ width, height, data: new Uint8Array(data) }, side);
}
