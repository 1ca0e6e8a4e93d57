/** The lowest `size` bits of `bits`, at most 24; the others are 0. */
export interface Field {
  readonly bits: number;
  readonly size: number;
}

/**
 * Writes bits from each byte's lowest on, as deflate streams pack them (RFC 1951, 3.1.1): first the fields, then for
 * each value its entry in `bits`, of `sizes` bits. Each step writes a word of four bytes, bits that don't fill a byte
 * yet included, and the words overlap: branches that depend on sizes would cost more.
 *
 * @param bytes has room for all bits and four bytes more
 */
export function writeBits(
  bytes: Uint8Array,
  fields: readonly Field[],
  values: Uint16Array,
  bits: Uint32Array,
  sizes: Uint8Array,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  let held = 0;
  let heldBits = 0;
  for (const field of fields) {
    held |= field.bits << heldBits;
    heldBits += field.size;
    view.setUint32(at, held, true);
    at += heldBits >> 3;
    held >>>= heldBits & 24;
    heldBits &= 7;
  }
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    held |= (bits[value] ?? 0) << heldBits;
    heldBits += sizes[value] ?? 0;
    view.setUint32(at, held, true);
    at += heldBits >> 3;
    held >>>= heldBits & 24;
    heldBits &= 7;
  }
}
