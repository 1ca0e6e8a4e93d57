import { type Mask, maskOfSwitches } from "./mask.ts";

/**
 * Decodes a COCO run-length encoding: lengths of alternating runs of clear and set pixels, down each column. `counts` is
 * the list of lengths, or the text that the COCO API makes of it (see `rleOf` of the inference service).
 * @param size height, then width, in pixels
 * @throws RangeError if the text has other characters, or the runs are not those of a picture of that size
 */
export function maskOfRle(
  [height, width]: readonly [number, number],
  counts: string | readonly number[],
): Mask {
  const lengths = typeof counts === "string" ? readCounts(counts) : counts;
  const places = new Int32Array(lengths.length);
  let end = 0;
  for (const [i, length] of lengths.entries()) {
    if (length < 0) throw new RangeError("A run of the mask has a negative length.");
    end += length;
    places[i] = end;
  }
  if (end !== width * height)
    throw new RangeError(
      `The runs of the mask have ${end} pixels in all, but ${width} × ${height} are ${width * height}.`,
    );
  return maskOfSwitches(width, height, places);
}

/** The numbers of the text: groups of five bits, lowest first, in two's complement; 32 says that another group follows. */
function readCounts(text: string): number[] {
  const counts: number[] = [];
  let value = 0;
  let bits = 0;
  for (let at = 0; at < text.length; at++) {
    const group = text.charCodeAt(at) - 48;
    if (group < 0 || group > 63 || bits > 30)
      throw new RangeError("The text of the mask is not a COCO run-length encoding.");
    value |= (group & 31) << bits;
    bits += 5;
    if (group >= 32) continue;
    if ((group & 16) !== 0 && bits < 32) value |= -1 << bits;
    // From the fourth on, each is the difference from the last count of its kind.
    counts.push(counts.length > 2 ? value + (counts.at(-2) ?? 0) : value);
    value = 0;
    bits = 0;
  }
  if (bits > 0) throw new RangeError("The text of the mask is cut off.");
  return counts;
}
