import { type FileHandle, open } from "node:fs/promises";
import sharp from "sharp";
import type { Picture } from "../models/model.ts";
import { taskFailure, TaskFailure } from "../failures.ts";
import { boxesOf, type PictureFormat, readAt, readSignature, SIGNATURE_BYTES } from "./signature.ts";

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

/**
 * Decodes a picture file into sRGB bytes as a viewer shows it: EXIF orientation applied, the first frame of an
 * animation, transparency over white. The header's pixel count is checked before anything is decoded.
 *
 * @param contentHash SHA-256 of the file, in hex
 * @param pixelLimit the most pixels that the picture may have
 * @param admit is waited for before the picture is decoded; gets the bytes that its pixels will take
 * @throws TaskFailure named image_empty, image_format_unsupported, not_an_image, image_too_many_pixels,
 *   image_truncated or image_corrupt
 */
export async function decodePicture(
  path: string,
  contentHash: string,
  pixelLimit: number,
  admit: (bytes: number) => Promise<void> = () => Promise.resolve(),
): Promise<Picture> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size === 0) throw taskFailure("image_empty");
    const format = await readFormat(file);
    const fail = async (error: unknown): Promise<never> => {
      throw error instanceof TaskFailure ? error : await undecodable(file, size, format);
    };
    const pixels = await readPixels(path, pixelLimit).catch(fail);
    await admit(3 * pixels);
    const { data, info } = await sharp(path, { failOn: "error", limitInputPixels: pixelLimit })
      .autoOrient()
      .flatten({ background: "#ffffff" })
      .toColourspace("srgb")
      .raw({ depth: "uchar" })
      .toBuffer({ resolveWithObject: true })
      .catch(fail);
    return { width: info.width, height: info.height, rgb: data, contentHash };
  } finally {
    await file.close();
  }
}

async function readFormat(file: FileHandle): Promise<PictureFormat> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
  const signature = readSignature(buffer.subarray(0, bytesRead));
  switch (signature.kind) {
    case "picture":
      return signature.format;
    case "unsupported":
      throw taskFailure("image_format_unsupported", { format: signature.name });
    case "video":
      throw taskFailure("not_an_image", { found: "a video" });
    case "unknown":
      throw taskFailure("not_an_image", { found: "not a picture of a known format" });
  }
}

async function readPixels(path: string, limit: number): Promise<number> {
  const { width, height } = await sharp(path, { limitInputPixels: false }).metadata();
  if (width * height <= limit) return width * height;
  throw taskFailure("image_too_many_pixels", {
    width,
    height,
    megapixels: megapixels(width * height),
    limit: megapixels(limit),
  });
}

async function undecodable(file: FileHandle, size: number, format: PictureFormat): Promise<Error> {
  const code = (await stopsEarly(file, size, format)) ? "image_truncated" : "image_corrupt";
  return taskFailure(code, { format: format.toUpperCase() });
}

const megapixels = (pixels: number): string => (pixels / 1e6).toFixed(1);

/** How many bytes of a file's end are searched, because cameras and editors append some of their own. */
const TAIL_BYTES = 65_536;

/**
 * Whether a file that can't be decoded stops before its format's end: JPEG's EOI marker, PNG's IEND chunk, GIF's
 * trailer, or the size that WebP's RIFF header or AVIF's last box announces.
 */
async function stopsEarly(file: FileHandle, size: number, format: PictureFormat): Promise<boolean> {
  switch (format) {
    case "jpeg":
      return !(await readTail(file, size)).includes(Buffer.from([0xff, 0xd9]));
    case "png":
      return !(await readTail(file, size)).includes("IEND");
    case "gif":
      return (await readTail(file, size)).at(-1) !== 0x3b;
    case "webp":
      return (await readAt(file, 4, 4)).readUInt32LE(0) + 8 > size;
    case "avif":
      return boxesOverrun(file, size);
  }
}

async function readTail(file: FileHandle, size: number): Promise<Buffer> {
  const length = Math.min(size, TAIL_BYTES);
  return readAt(file, size - length, length);
}

/** Whether the last box of the file announces another end than the file has. */
async function boxesOverrun(file: FileHandle, size: number): Promise<boolean> {
  let end = 0;
  for await (const box of boxesOf(file, size)) ({ end } = box);
  return end !== size;
}
