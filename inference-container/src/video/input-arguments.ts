/** Decoders that may run, by FFmpeg's names; two of them are libraries for AV1. */
const DECODERS = ["h264", "hevc", "vp8", "vp9", "av1", "libdav1d", "libaom-av1", "mpeg4", "mjpeg", "prores"];

/** The decoders that decode a layer of transparency too, by the codec. */
const ALPHA_DECODERS = { vp8: "libvpx", vp9: "libvpx-vp9" } as const;
/** Codecs of tracks with a layer of transparency. */
export const ALPHA_CODECS = ["vp8", "vp9"] as const;

/**
 * Bytes that FFmpeg may allocate at once: a few bytes of an index can announce tables of gigabytes. A plane of 36
 * megapixels with two bytes per sample takes 72 million, a whole frame of AV1 in 4:2:0 113 million.
 */
const LARGEST_ALLOCATION = 134_217_728;

/**
 * The same while packets are only listed: an entry of FFmpeg's index takes 24 bytes, and `MOST_PACKETS` may be listed. It
 * comes first, so that no FFmpeg opens an index that is larger.
 */
export const LISTING_ALLOCATION = 50_331_648;

/** Each thread holds separate frames, of up to 200 MB. By default FFmpeg starts one more than there are processors. */
const DECODER_THREADS = 4;

/** FFmpeg counts the whole blocks to which a codec pads a frame: 64 pixels a side in HEVC, mostly 16. */
const CODING_BLOCK = 64;

/** FFmpeg counts pixels in 32 bits. */
const MOST_PIXELS = 2 ** 31 - 1;

/** An uploaded file to read. */
export interface ClipInput {
  readonly path: string;
  readonly container: Container;
  /** The most pixels that a frame may have, as shown. */
  readonly inputPixels: number;
  /** The video track to read, as FFmpeg specifies streams. */
  readonly track: string;
  /** The most tracks of all kinds that the file may have. */
  readonly streams: number;
  /** The codec of a track with a layer of transparency. */
  readonly alphaCodec?: (typeof ALPHA_CODECS)[number];
}

/** True if this service reads videos of this codec, by FFmpeg's name. */
export const isReadableCodec = (name: string): boolean => DECODERS.includes(name);

/**
 * FFmpeg's arguments for reading an uploaded video: one local file, only as its own container, only one video stream (a
 * cover picture is not one), only listed decoders, and no frame that is much larger than allowed. Memory stays within
 * bounds that no file can raise. Times are those of the file, which players show. FFmpeg does not turn frames, and the
 * filters keep counting them when their size changes.
 *
 * @param largestAllocation in bytes
 */
export function inputArguments(
  { path, container, inputPixels, track, streams, alphaCodec }: ClipInput,
  largestAllocation = LARGEST_ALLOCATION,
): string[] {
  return [
    ["-protocol_whitelist", "file,pipe"],
    ["-format_whitelist", CONTAINERS.join(",")],
    ["-codec_whitelist", [...DECODERS, ...Object.values(ALPHA_DECODERS)].join(",")],
    ["-max_pixels", String(Math.min(Math.ceil((Math.sqrt(inputPixels) + CODING_BLOCK) ** 2), MOST_PIXELS))],
    ["-max_alloc", String(largestAllocation)],
    ["-max_streams", String(streams)],
    ["-threads", String(DECODER_THREADS)],
    ["-copyts", "-noautorotate", "-reinit_filter", "0"],
    alphaCodec === undefined ? [] : ["-c:v", ALPHA_DECODERS[alphaCodec]],
    ["-f", container],
    ["-i", `file:${path}`],
    ["-map", `0:${track}`, "-an", "-sn", "-dn"],
    // Otherwise the log would repeat the file's own texts, which could crowd out the messages that this service reads.
    ["-map_metadata", "-1", "-map_chapters", "-1"],
  ].flat();
}

/** The supported containers, by FFmpeg's demuxer names. */
const CONTAINERS = ["mov", "matroska", "avi"] as const;
export type Container = (typeof CONTAINERS)[number];
