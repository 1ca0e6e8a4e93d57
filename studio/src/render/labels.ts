import {
  LabelMap,
  readMaskPng,
  type RowRuns,
  rowRunsOf,
  unpackMask,
  writeGreyPng,
  yoloLines,
} from "@segmentation/masks";

/** An object's mask for files of labels. */
export interface LabelledMask {
  readonly png: Blob;
  /** Its class, from 0. */
  readonly classIndex: number;
  /** 0 to 1. */
  readonly confidence: number;
}

/** Reads the runs of a mask's file. @throws RangeError if it is damaged */
export const runsOf = async (png: Blob): Promise<RowRuns> =>
  rowRunsOf(unpackMask(await readMaskPng(new Uint8Array(await png.arrayBuffer()))));

/**
 * A picture's labels for YOLO, as the service writes them.
 * @param tolerance how far a line may stray to have fewer points, in pixels
 */
export async function yoloOf(masks: readonly LabelledMask[], tolerance: number): Promise<Blob> {
  const lines: string[] = [];
  for (const { png, classIndex } of masks) lines.push(...yoloLines(await runsOf(png), classIndex, tolerance));
  return new Blob(lines.length === 0 ? ["\n"] : lines, { type: "text/plain" });
}

/** A picture's label map as the service writes it: the masks are numbered from 1, in their order. Of no mask there is none. */
export async function labelMapOf(masks: readonly LabelledMask[]): Promise<Blob[]> {
  let map: LabelMap | null = null;
  let size = { width: 0, height: 0 };
  for (const [i, { png, confidence }] of masks.entries()) {
    const runs = await runsOf(png);
    size = runs;
    map ??= new LabelMap(size);
    map.add(runs, i + 1, confidence);
  }
  if (map === null) return [];
  const { labels } = map;
  if (labels instanceof Uint8Array) return [await writeGreyPng({ ...size, bits: 8, rows: labels })];
  const rows = new Uint8Array(labels.length * 2);
  const view = new DataView(rows.buffer);
  for (const [i, label] of labels.entries()) view.setUint16(2 * i, label);
  return [await writeGreyPng({ ...size, bits: 16, rows })];
}
