import { type FileHandle, open } from "node:fs/promises";
import { readSignature, SIGNATURE_BYTES, startsLike } from "../pictures/signature.ts";
import { taskFailure } from "../failures.ts";
import { endsEarly } from "./container-end.ts";
import type { Container } from "./input-arguments.ts";

/** The first bytes of video formats that aren't read, as Latin-1 text; `?` stands for any byte. */
const FOREIGN: readonly (readonly [pattern: string, name: string])[] = [
  [`G${"?".repeat(187)}G${"?".repeat(187)}G`, "MPEG transport stream"],
  [`????G${"?".repeat(191)}G`, "MPEG transport stream"],
  ["\0\0\x01\xba", "MPEG"],
  ["\0\0\x01\xb3", "MPEG"],
  ["FLV\x01", "FLV"],
  ["OggS", "Ogg"],
  ["\x30\x26\xb2\x75\x8e\x66\xcf\x11", "Windows Media"],
  [".RMF", "RealMedia"],
  ["DKIF", "IVF"],
  ["\x06\x0e\x2b\x34\x02\x05\x01\x01", "MXF"],
];

/**
 * Recognises a clip's container by the file's first bytes, whatever its name, and checks that the file is complete.
 *
 * @throws TaskFailure named video_unreadable (not a video), video_format_unsupported or video_truncated; the signal's
 *   reason
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
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
  const head = buffer.subarray(0, bytesRead);
  const { kind } = readSignature(head);
  if (kind === "picture" || kind === "unsupported") {
    throw taskFailure("video_unreadable", { reason: "it is a picture, which belongs in an image job" });
  }
  const text = head.toString("latin1");
  // ISO/IEC 14496-12 and QuickTime: boxes that a file may begin with; RFC 8794: the EBML header; the RIFF form AVI.
  if (/^[^]{4}(?:ftyp|styp|moov|mdat|free|skip|wide|pnot)/.test(text)) return "mov";
  if (text.startsWith("\x1a\x45\xdf\xa3")) return "matroska";
  if (/^RIFF[^]{4}AVI /.test(text)) return "avi";
  const foreign = FOREIGN.find(([pattern]) => startsLike(text, pattern));
  if (foreign !== undefined) {
    throw taskFailure("video_format_unsupported", { format: foreign[1] });
  }
  throw taskFailure("video_unreadable", { reason: "the file is not a video of a known format" });
}

/** An index of what is where in the file stands at its beginning; what writers put before it is short. */
const HEAD_BYTES = 65_536;

/** RFC 9559, section 5.1.1: in the SeekHead, a SeekID of four bytes that names Cues. */
const POINTER_TO_CUES = Buffer.from([0x53, 0xab, 0x84, 0x1c, 0x53, 0xbb, 0x6b]);

/** Whether a Matroska file says where its index of key frames is. Without one, FFmpeg reads all that lies before a time. */
export async function hasCues(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead).includes(POINTER_TO_CUES);
  } finally {
    await file.close();
  }
}
