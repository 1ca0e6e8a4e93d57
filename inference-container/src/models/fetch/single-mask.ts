/** SAM 2's decoder, exported without the one of its four masks that is for what is clear, such as a box. */

/**
 * What to change in the pinned file: where a byte stands, what it is, and what it becomes. The first two are the starts of the
 * slices that cut the first mask and its rating off, the third the number of ratings that the graph declares.
 */
const CHANGES = [
  { at: 261_634, from: 1, to: 0 },
  { at: 262_094, from: 1, to: 0 },
  { at: 16_531_236, from: 3, to: 4 },
] as const;

/**
 * The ONNX file of the decoder that offers all four masks: first the one, then the three alternatives.
 * @param decoder `sam2_hiera_tiny_decoder_pr1.onnx`, as its digest is pinned
 * @throws Error if it is another file
 */
export function withSingleMask(decoder: Uint8Array): Uint8Array {
  const changed = new Uint8Array(decoder);
  for (const { at, from, to } of CHANGES) {
    if (changed[at] !== from) throw new Error("SAM 2's decoder is not the file whose masks are known.");
    changed[at] = to;
  }
  return changed;
}
