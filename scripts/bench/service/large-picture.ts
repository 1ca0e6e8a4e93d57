import { createHash } from "node:crypto";
import { join } from "node:path";
import sharp from "sharp";
import { PROJECT_ROOT } from "../../shared/root.ts";
import type { BenchPicture } from "../pictures/bench-picture.ts";

/** A picture of `megapixels` such as a camera would write: the sample photograph of a cat, enlarged, as a JPEG. */
export async function largePicture(megapixels: number): Promise<BenchPicture> {
  const width = Math.round(Math.sqrt((megapixels * 1e6 * 4) / 3));
  const height = Math.round((width * 3) / 4);
  const jpeg = await sharp(join(PROJECT_ROOT, "samples", "chelsea.png"))
    .resize(width, height, { fit: "fill" })
    .jpeg({ quality: 90 })
    .toBuffer();
  const rgb = await sharp(jpeg).raw().toBuffer();
  const contentHash = createHash("sha256").update(jpeg).digest("hex");
  return {
    prompts: ["cat", "kitten"],
    file: new Uint8Array(jpeg),
    picture: { width, height, rgb, contentHash },
  };
}
