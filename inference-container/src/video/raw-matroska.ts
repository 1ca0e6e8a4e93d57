/**
 * Minimal Matroska (RFC 9559, on EBML, RFC 8794) that gives FFmpeg uncompressed frames with their true times. It has a
 * segment and one cluster per frame, as in a live stream. Its only video track is `V_UNCOMPRESSED` with the color space
 * `RGB` in 24 bits (three bytes per pixel, row by row).
 */

/** Ticks per second of all times. */
const TICKS = 10_000;

/** Element IDs with their markers, RFC 9559, section 5.1. */
const ID = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  codecId: 0x86,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  uncompressedFourcc: 0x2eb524,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
} as const;

const UNKNOWN_SIZE = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);

/** The bytes before the first frame. Sizes are in pixels. */
export function rawMatroskaHeader(width: number, height: number): Buffer {
  const video = element(
    ID.video,
    unsigned(ID.pixelWidth, width),
    unsigned(ID.pixelHeight, height),
    element(ID.uncompressedFourcc, Buffer.from([0x52, 0x47, 0x42, 24])),
  );
  const track = element(
    ID.trackEntry,
    unsigned(ID.trackNumber, 1),
    unsigned(ID.trackUid, 1),
    unsigned(ID.trackType, 1),
    element(ID.codecId, Buffer.from("V_UNCOMPRESSED")),
    video,
  );
  return Buffer.concat([
    element(ID.ebml, element(ID.docType, Buffer.from("matroska"))),
    bytesOf(ID.segment),
    UNKNOWN_SIZE,
    element(ID.info, unsigned(ID.timestampScale, 1e9 / TICKS)),
    element(ID.tracks, track),
  ]);
}

/**
 * The bytes before a frame's own.
 *
 * @param frameBytes the frame's size in bytes
 * @param time seconds from the start
 */
export function rawMatroskaFrame(frameBytes: number, time: number): Buffer {
  // RFC 9559, section 10.2: the track's number, 16 bits of time from the cluster's, and flags (a keyframe).
  const head = Buffer.from([0x81, 0, 0, 0x80]);
  const before = Buffer.concat([
    unsigned(ID.timestamp, Math.round(time * TICKS)),
    bytesOf(ID.simpleBlock),
    sizeOf(head.length + frameBytes),
    head,
  ]);
  return Buffer.concat([bytesOf(ID.cluster), sizeOf(before.length + frameBytes), before]);
}

function element(id: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([bytesOf(id), sizeOf(body.length), body]);
}

const unsigned = (id: number, value: number): Buffer => element(id, bytesOf(value));

/** A whole number in the fewest bytes that hold it, the most significant first. */
function bytesOf(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes.subarray(Math.min(bytes.findIndex((byte) => byte !== 0) & 7, 7));
}

/** RFC 8794, section 4: a size in eight bytes, the marker in the first. */
function sizeOf(length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  bytes[0] = 0x01;
  return bytes;
}
