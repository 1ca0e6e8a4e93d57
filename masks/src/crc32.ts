const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** CRC-32 (ISO-HDLC, reflected polynomial 0xEDB88320, as in zlib and annex D of PNG) as an unsigned 32-bit number. */
export function crc32(bytes: Uint8Array): number {
  let crc = -1;
  // By index: an iterator takes five times as long, for every mask.
  for (let at = 0; at < bytes.length; at += 1)
    crc = (crc >>> 8) ^ (TABLE[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  return ~crc >>> 0;
}
