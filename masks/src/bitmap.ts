/** Bytes in memory that no threads share. TypeScript before 5.7 has no name for them: there `Uint8Array` takes no argument. */
export type Bytes = ReturnType<Uint8ArrayConstructor["of"]>;

/** A mask's pixels, row by row: a byte each, 255 inside the object and 0 outside, as in the service's PNG. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly data: Bytes;
}

/** A mask's rows as its PNG packs them: eight pixels per byte, the first one highest. Each row begins in a new byte. */
export interface PackedRows {
  readonly width: number;
  readonly height: number;
  readonly rows: Bytes;
}

/** Left, top, width and height in pixels of the picture. */
export type Box = readonly [x: number, y: number, width: number, height: number];

/** The IoU of two masks, 0 to 1; 0 if both are empty. @throws RangeError if their sizes differ */
export function iou(a: Bitmap, b: Bitmap): number {
  if (a.width !== b.width || a.height !== b.height) throw new RangeError("The masks are of two sizes.");
  let common = 0;
  let either = 0;
  for (let i = 0; i < a.data.length; i++) {
    if (a.data[i] && b.data[i]) common++;
    if (a.data[i] || b.data[i]) either++;
  }
  return either === 0 ? 0 : common / either;
}

/** The number of set pixels and the box around them, without unpacking the rows; zeros for an empty mask. */
export function measureMask({ width, height, rows }: PackedRows): {
  readonly area: number;
  readonly box: Box;
} {
  const length = Math.ceil(width / 8);
  let area = 0;
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0; y < height; y++) {
    for (let i = 0; i < length; i++) {
      const byte = rows[y * length + i] ?? 0;
      if (byte === 0) continue;
      for (let bits = byte; bits > 0; bits &= bits - 1) area++;
      left = Math.min(left, i * 8 + Math.clz32(byte) - 24);
      right = Math.max(right, i * 8 + Math.clz32(byte & -byte) - 23);
      if (top === height) top = y;
      bottom = y + 1;
    }
  }
  return { area, box: area === 0 ? [0, 0, 0, 0] : [left, top, right - left, bottom - top] };
}

/** The pixels as bytes. */
export function unpackMask({ width, height, rows }: PackedRows): Bitmap {
  const length = Math.ceil(width / 8);
  const data = new Uint8Array(width * height);
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++)
      if ((rows[y * length + (x >> 3)] ?? 0) & (128 >> (x & 7))) data[at] = 255;
  return { width, height, data };
}

/** The pixels as rows of bits. */
export function packMask({ width, height, data }: Bitmap): PackedRows {
  const length = Math.ceil(width / 8);
  const rows = new Uint8Array(length * height);
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++)
      if (data[at]) rows[y * length + (x >> 3)] = (rows[y * length + (x >> 3)] ?? 0) | (128 >> (x & 7));
  return { width, height, rows };
}
