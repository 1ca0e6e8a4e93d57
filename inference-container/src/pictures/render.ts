/** Decodes pixels with libvips. */
import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { taskFailure, TaskFailure } from "../failures.ts";
import type { GifStructure } from "./gif.ts";
import { withStripAdded } from "./jpeg.ts";

sharp.cache(false);
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: [
    "VipsForeignLoadJpeg",
    "VipsForeignLoadPng",
    "VipsForeignLoadWebp",
    "VipsForeignLoadHeif",
    "VipsForeignLoadNsgif",
  ],
});

const WHITE = "#ffffff";

export interface RenderOptions {
  readonly pixelLimit: number;
  /** The least severity of damage that is an error. */
  readonly failOn?: "error" | "warning";
  /** Samples of 16 bits instead of 8. */
  readonly isDeep?: boolean;
  /** The color profile in the file does not count. */
  readonly ignoresProfile?: boolean | undefined;
  /** The place of a GIF's first frame. */
  readonly gif?: GifStructure | undefined;
}

export interface Rendered {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/** Three samples a pixel, upright, over white; converted to sRGB by the file's color profile, if it has one. */
export async function render(
  input: string | Buffer,
  { pixelLimit, failOn = "error", isDeep = false, ignoresProfile = false, gif }: RenderOptions,
): Promise<Rendered> {
  const picture = sharp(input, { failOn, limitInputPixels: pixelLimit, ignoreIcc: ignoresProfile })
    .autoOrient()
    .flatten({ background: WHITE })
    .toColourspace(isDeep ? "rgb16" : "srgb")
    .raw({ depth: isDeep ? "ushort" : "uchar" });
  if (gif?.frame !== undefined) {
    const { canvas, frame } = gif;
    const { left, top, width, height } = frame;
    const [right, bottom] = [canvas.width - left - width, canvas.height - top - height];
    // The decoder fills the rest of the canvas with black, although it is transparent, and distrusts sizes that old
    // screens had.
    if (left > 0 || top > 0 || right > 0 || bottom > 0)
      picture.extract(frame).extend({ left, top, right, bottom, background: WHITE });
  }
  const { data, info } = await picture.toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** libjpeg's warning that a scan ends before its last pixels, which then are gray. */
const lacksPixels = (error: unknown): boolean => String(error).includes("premature end of data segment");

/** libjpeg's warning that a file ends without a marker that says so. */
const lacksEnd = (error: unknown): boolean => String(error).includes("premature end of JPEG image");

const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);

/** As `render`, for a JPEG that lacks no pixel. @throws TaskFailure named image_truncated if pixels are missing */
const renderWhole = (input: string | Buffer, options: RenderOptions): Promise<Rendered> =>
  render(input, { ...options, failOn: "warning" }).catch((error: unknown) => {
    throw lacksPixels(error) ? taskFailure("image_truncated", { format: "JPEG" }) : error;
  });

/**
 * As `render`, for a JPEG. A missing marker at its end is no fault: cameras leave it out. Other oddities are harmless.
 * @throws TaskFailure named image_truncated if pixels are missing, with or without the marker
 */
export async function renderJpeg(path: string, options: RenderOptions): Promise<Rendered> {
  try {
    return await renderWhole(path, options);
  } catch (error) {
    if (error instanceof TaskFailure) throw error;
    if (!lacksEnd(error)) return render(path, options);
    const ended = Buffer.concat([await readFile(path), END_OF_IMAGE]);
    const pixelLimit = 2 * options.pixelLimit;
    await renderWhole(withStripAdded(ended), { ...options, pixelLimit });
    return renderWhole(ended, options);
  }
}
