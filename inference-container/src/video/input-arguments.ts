import type { Container } from "./container.ts";

/** Decoders that may run, by FFmpeg's names; two of them are libraries for AV1. */
const DECODERS = ["h264", "hevc", "vp8", "vp9", "av1", "libdav1d", "libaom-av1", "mpeg4", "mjpeg", "prores"];

/** An uploaded file to read. */
export interface ClipInput {
  readonly path: string;
  readonly container: Container;
  /** The most pixels that a frame may have. */
  readonly inputPixels: number;
}

export const isReadableCodec = (name: string): boolean => DECODERS.includes(name);

/**
 * FFmpeg's arguments for reading an uploaded clip: one local file, as the container that it is and no other, its first
 * video stream alone (a cover picture is none), no decoder that isn't listed, and no frame larger than allowed.
 */
export function inputArguments({ path, container, inputPixels }: ClipInput): string[] {
  return [
    ["-protocol_whitelist", "file,pipe"],
    ["-format_whitelist", "mov,matroska,avi"],
    ["-codec_whitelist", DECODERS.join(",")],
    ["-max_pixels", String(inputPixels)],
    ["-f", container],
    ["-i", `file:${path}`],
    ["-map", "0:V:0", "-an", "-sn", "-dn"],
  ].flat();
}
