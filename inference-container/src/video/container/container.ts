import { type FileHandle, open } from "node:fs/promises";
import { fileKindOf } from "@segmentation/masks";
import { taskFailure } from "../../failures.ts";
import { readHead } from "../../file-reads.ts";
import { endsEarly } from "./container-end.ts";
import type { Container } from "../input-arguments.ts";

/** The supported containers, by their content types. */
const CONTAINERS: ReadonlyMap<string, Container> = new Map([
  ["video/mp4", "mov"],
  ["video/quicktime", "mov"],
  ["video/webm", "matroska"],
  ["video/x-matroska", "matroska"],
  ["video/x-msvideo", "avi"],
]);

/**
 * Recognizes a video's container by the file's first bytes, not its name, and checks that the file is complete.
 *
 * @throws TaskFailure named video_unreadable (not a video), video_format_unsupported or video_truncated; the signal's
 * reason
 */
export async function readContainer(path: string, signal: AbortSignal): Promise<Container> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size === 0) {
      throw taskFailure("video_unreadable", { reason: "the file is empty" });
    }
    const container = await tellContainer(file);
    if (await endsEarly(file, size, container, signal)) {
      throw taskFailure("video_truncated");
    }
    return container;
  } finally {
    await file.close();
  }
}

async function tellContainer(file: FileHandle): Promise<Container> {
  const head = await readHead(file);
  const kind = fileKindOf(head);
  if (kind === undefined) {
    // An ISO base media file of unknown brands (ISO/IEC 14496-12).
    if (head.toString("latin1", 4, 8) === "ftyp") return "mov";
    throw taskFailure("video_unreadable", { reason: "the file is not a video of a known format" });
  }
  const container = CONTAINERS.get(kind.contentType);
  if (container !== undefined) return container;
  if (kind.contentType.startsWith("video/"))
    throw taskFailure("video_format_unsupported", { format: kind.name });
  throw taskFailure("video_unreadable", { reason: "it is a picture, which belongs in an image job" });
}

/** The bytes at a file's beginning that have its index of positions; the elements before it are short. */
const HEAD_BYTES = 65_536;

/** RFC 9559, section 5.1.1: in the SeekHead, a SeekID of four bytes that names Cues. */
const POINTER_TO_CUES = Buffer.from([0x53, 0xab, 0x84, 0x1c, 0x53, 0xbb, 0x6b]);

/**
 * True if a Matroska file gives the position of its index of key frames. Without one, FFmpeg reads everything before a
 * time.
 */
export async function hasCues(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead).includes(POINTER_TO_CUES);
  } finally {
    await file.close();
  }
}
