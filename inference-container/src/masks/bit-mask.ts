/** A mask at the picture's size: rows of packed bits, most significant bit first, 1 = inside. */
export interface BitMask {
  readonly width: number;
  readonly height: number;
  /** Bytes a row: `ceil(width / 8)`; the unused low bits of a row's last byte are 0. */
  readonly stride: number;
  readonly bits: Uint8Array;
  /** How many pixels are set. */
  readonly area: number;
}

/** Sets the bits [from, to) counted from the start of `bits`; `from < to`. */
export function fillRun(bits: Uint8Array, from: number, to: number): void {
  const firstByte = from >> 3;
  const lastByte = (to - 1) >> 3;
  const head = 0xff >> (from & 7);
  const tail = (0xff << (7 - ((to - 1) & 7))) & 0xff;
  if (firstByte === lastByte) {
    bits[firstByte] = (bits[firstByte] ?? 0) | (head & tail);
    return;
  }
  bits[firstByte] = (bits[firstByte] ?? 0) | head;
  bits.fill(0xff, firstByte + 1, lastByte);
  bits[lastByte] = (bits[lastByte] ?? 0) | tail;
}
