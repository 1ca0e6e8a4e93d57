/** Reads the mask of an earlier result, which a region corrects. */
import sharp from "sharp";
import { taskFailure } from "../failures.ts";
import type { LogitGrid } from "../models/model.ts";
import type { Size } from "../size.ts";

/** The side of the grid on which SAM 2 takes masks. */
const SIDE = 256;

/** The logit of a cell that a mask fills; negative for an empty cell. */
const SURE = 10;

/**
 * The mask as logits.
 * @param index the region's, for the failure @param picture the size that the mask must have
 * @throws TaskFailure named prior_mask_unusable
 */
export async function readPriorMask(path: string, index: number, picture: Size): Promise<LogitGrid> {
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
  const shares = await mask
    .toColourspace("b-w")
    .extractChannel(0)
    .resize(SIDE, SIDE, { fit: "fill", kernel: "linear" })
    .raw({ depth: "uchar" })
    .toBuffer()
    .catch(() => {
      throw unreadable();
    });
  return {
    width: SIDE,
    height: SIDE,
    logits: Float32Array.from(shares, (share) => SURE * ((2 * share) / 255 - 1)),
  };
}
