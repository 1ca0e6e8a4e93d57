import { type FileHandle, open } from "node:fs/promises";
import { type FileKind, fileKindOf, READABLE_PICTURES } from "@segmentation/masks";
import sharp, { type Metadata } from "sharp";
import type { Picture } from "../models/model.ts";
import { taskFailure, TaskFailure } from "../failures.ts";
import { readHead } from "../file-reads.ts";
import { readAvif } from "./avif.ts";
import { type ColourCoding, codingOf, pngCoding } from "./colour-coding.ts";
import { explain, tooManyPixels } from "./explain.ts";
import { type GifStructure, readGif } from "./gif.ts";
import { readChunks, withExifFirst } from "./png.ts";
import { type Rendered, render, renderJpeg } from "./render.ts";
import { toSrgb } from "./to-srgb.ts";

/** Parts of a file that its decoder leaves out. */
interface Source {
  readonly input: string | Buffer;
  /** The coding of its samples, if it is neither sRGB's nor a profile's. */
  readonly coding?: ColourCoding | undefined;
  readonly ignoresProfile?: boolean | undefined;
  readonly gif?: GifStructure;
}

/**
 * Decodes a picture file into sRGB bytes as a viewer shows it: EXIF orientation and color description applied, the
 * first frame of an animation on its screen, transparency over white. Checks the header's pixel count before it decodes
 * anything.
 *
 * @param contentHash SHA-256 of the file, in hex
 * @param pixelLimit the most pixels that the picture may have
 * @param admit is awaited before the decoding; gets the bytes that its pixels will take
 * @throws TaskFailure named image_empty, image_format_unsupported, not_an_image, image_too_many_pixels, image_truncated
 * or image_corrupt
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
    const kind = await readKind(file);
    const fail = async (error: unknown): Promise<never> => {
      throw error instanceof TaskFailure ? error : await explain(path, file, kind, pixelLimit);
    };
    const metadata = await sharp(path, { limitInputPixels: false }).metadata().catch(fail);
    const { input, coding, ignoresProfile, gif } = await inspect(path, file, size, kind, metadata);
    const { width, height } = gif?.canvas ?? metadata;
    const tooMany = tooManyPixels({ width, height }, pixelLimit);
    if (tooMany !== undefined) throw tooMany;
    const isDeep = coding !== undefined && metadata.depth === "ushort";
    await admit((isDeep ? 9 : 3) * width * height);
    const rendered = await (
      kind.contentType === "image/jpeg"
        ? renderJpeg(path, { pixelLimit })
        : render(input, { pixelLimit, isDeep, ignoresProfile, gif })
    ).catch(fail);
    const rgb = coding === undefined ? rendered.data : await converted(rendered, metadata, coding, isDeep);
    return { width: rendered.width, height: rendered.height, rgb, contentHash };
  } finally {
    await file.close();
  }
}

async function readKind(file: FileHandle): Promise<FileKind> {
  const kind = fileKindOf(await readHead(file));
  if (kind === undefined) throw taskFailure("not_an_image", { found: "not a picture of a known format" });
  if (kind.contentType.startsWith("video/")) throw taskFailure("not_an_image", { found: "a video" });
  if (READABLE_PICTURES.has(kind.contentType)) return kind;
  throw taskFailure("image_format_unsupported", { format: kind.name });
}

async function inspect(
  path: string,
  file: FileHandle,
  size: number,
  { contentType }: FileKind,
  { hasProfile }: Metadata,
): Promise<Source> {
  switch (contentType) {
    case "image/png": {
      const chunks = await readChunks(file, size);
      return { input: (await withExifFirst(path, chunks)) ?? path, ...(await pngCoding(file, chunks)) };
    }
    case "image/avif": {
      const { code } = hasProfile ? {} : await readAvif(file, size);
      return { input: path, coding: code && codingOf(code) };
    }
    case "image/gif":
      return { input: path, gif: await readGif(file, size) };
    default:
      return { input: path };
  }
}

/** Rendered samples as bytes of sRGB. */
function converted(
  { data }: Rendered,
  { bitsPerSample = 16, format }: Metadata,
  coding: ColourCoding,
  isDeep: boolean,
): Promise<Uint8Array> {
  if (!isDeep) return toSrgb(data, 255, coding);
  const samples = new Uint16Array(data.buffer, data.byteOffset, data.length / 2);
  // libvips shifts AVIF's 10 or 12 bits to the left.
  const bits = format === "heif" ? bitsPerSample : 16;
  return toSrgb(samples, (2 ** bits - 1) * 2 ** (16 - bits), coding);
}
