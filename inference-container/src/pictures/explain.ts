/** Finds the reason why a picture can't be decoded. The decoder only reports damage. */
import { type FileHandle, readFile } from "node:fs/promises";
import type { FileKind, Size } from "@segmentation/masks";
import { type TaskFailure, taskFailure } from "../failures.ts";
import { boxesOf, readAt } from "../file-reads.ts";
import { readAvif } from "./avif.ts";
import { isWholeGif, readGif } from "./gif.ts";
import { readJpeg, unreadJpeg } from "./jpeg.ts";
import { readChunks } from "./png.ts";

/** The structure of a file, whose pixels may be damaged. */
interface Structure {
  /** True if the file is complete. */
  readonly isWhole: boolean;
  readonly size?: Size | undefined;
  /** The name of a format that is sound but not decoded. */
  readonly unread?: string | undefined;
}

/** The failure for a picture that its decoder refused. */
export async function explain(
  path: string,
  file: FileHandle,
  { contentType, name }: FileKind,
  pixelLimit: number,
): Promise<TaskFailure> {
  const structure = await (READERS[contentType] ?? readSound)(file, (await file.stat()).size, path);
  if (structure.unread !== undefined)
    return taskFailure("image_format_unsupported", { format: structure.unread });
  const tooMany = structure.size && tooManyPixels(structure.size, pixelLimit);
  return tooMany ?? taskFailure(structure.isWhole ? "image_corrupt" : "image_truncated", { format: name });
}

const megapixels = (pixels: number): string => (pixels / 1e6).toFixed(1);

/** The failure for a picture of this size, if it has more pixels than the limit. */
export function tooManyPixels({ width, height }: Size, pixelLimit: number): TaskFailure | undefined {
  if (width * height <= pixelLimit) return undefined;
  return taskFailure("image_too_many_pixels", {
    width,
    height,
    megapixels: megapixels(width * height),
    limit: megapixels(pixelLimit),
  });
}

type Reader = (file: FileHandle, size: number, path: string) => Promise<Structure>;

const readSound: Reader = () => Promise.resolve({ isWhole: true });

const READERS: Readonly<Record<string, Reader>> = {
  "image/jpeg": async (_file, _size, path) => {
    const { frame, isWhole } = readJpeg(await readFile(path)) ?? { isWhole: true };
    return { isWhole, size: frame, unread: frame && unreadJpeg(frame) };
  },
  "image/png": async (file, size) => {
    const { chunks, isWhole } = await readChunks(file, size);
    const header = chunks.get("IHDR");
    const sides = header && (await readAt(file, header.at + 8, 8));
    return {
      isWhole,
      size: sides && { width: sides.readUInt32BE(0), height: sides.readUInt32BE(4) },
      unread: chunks.has("CgBI") ? "Apple's iOS PNG (CgBI)" : undefined,
    };
  },
  "image/gif": async (file, size) => {
    const { canvas } = await readGif(file, size);
    return { isWhole: await isWholeGif(file, size), size: canvas };
  },
  "image/webp": async (file, size) => {
    // The RIFF header announces the size. Only the extended form's canvas can have too many pixels.
    const head = await readAt(file, 0, 30);
    const isExtended = head.toString("latin1", 12, 16) === "VP8X";
    const canvas = { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    return { isWhole: head.readUInt32LE(4) + 8 <= size, size: isExtended ? canvas : undefined };
  },
  "image/avif": async (file, size) => {
    let end = 0;
    for await (const box of boxesOf(file, size)) ({ end } = box);
    return { isWhole: end === size, size: (await readAvif(file, size)).size };
  },
};
