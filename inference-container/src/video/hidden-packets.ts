import { FfmpegRun } from "./ffmpeg-run.ts";
import { inputArguments, LISTING_ALLOCATION, type ClipInput } from "./input-arguments.ts";
import { MOST_PACKETS } from "./list-times.ts";

/** IVF: 32 bytes at the beginning, then before each packet its size in four bytes and its time in eight, little-endian. */
const FILE_HEADER = 32;
const PACKET_HEADER = 12;

/** RFC 6386, section 9.1: the bit show_frame of a frame's first byte. */
const SHOW_FRAME = 0x10;

/**
 * Which packets of a VP8 clip, counted from 0, hold frames that are never shown. Nothing is decoded: FFmpeg copies the
 * packets, and their first bytes tell. More than `MOST_PACKETS` are not read.
 *
 * @throws TaskFailure named video_crashed or video_stalled; the signal's reason
 */
export async function hiddenPackets(
  ffmpeg: string,
  input: ClipInput,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const args = ["-c", "copy", "-copyinkf", "-copypriorss", "1", "-f", "ivf", "-"];
  await using run = new FfmpegRun(ffmpeg, [...inputArguments(input, LISTING_ALLOCATION), ...args], {
    signal,
  });
  const hidden = new Set<number>();
  let packets = 0;
  let rest = Buffer.alloc(0);
  let skipped = FILE_HEADER;
  for await (const piece of run.output()) {
    const bytes = Buffer.concat([rest, piece]);
    let at = skipped;
    for (; at + PACKET_HEADER < bytes.length; packets++) {
      if (packets >= MOST_PACKETS) return hidden;
      const size = bytes.readUInt32LE(at);
      if (((bytes[at + PACKET_HEADER] ?? 0) & SHOW_FRAME) === 0) hidden.add(packets);
      at += PACKET_HEADER + size;
    }
    rest = bytes.subarray(Math.min(at, bytes.length));
    skipped = Math.max(at - bytes.length, 0);
  }
  await run.finished();
  return hidden;
}
