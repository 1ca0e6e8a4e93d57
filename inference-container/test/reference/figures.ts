/** Results of the models' own code on the sample photographs (fixtures/), and the comparison with them. */
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { expect } from "vitest";
import type { Corners, Size } from "@segmentation/masks";
import { clipBox } from "../../src/models/box.ts";
import { readTemplates } from "../../src/models/describe-folder.ts";
import type { ImageTensor } from "../../src/models/image-tensor.ts";
import type { ImageInput } from "../../src/models/manifest.ts";
import type { Picture } from "../../src/models/model.ts";
import { present } from "../../../test/support/at.ts";
import { isLong } from "../support/form.ts";

const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));

/** Boxes found for one prompt, best first. */
export interface Found {
  readonly prompt: string;
  /** [x1, y1, x2, y2] in picture pixels; parts of a box may lie outside the picture. */
  readonly boxes: readonly Corners[];
  readonly scores: readonly number[];
}

/** Boxes found with masks. */
export interface Masked extends Found {
  /** The lowest score of a result. */
  readonly threshold: number;
  /** Run lengths, row by row, of the masks of the first boxes. */
  readonly masks: readonly (readonly number[])[];
}

/** Every `step`th pixel of a model's input across and down: base64 of float32, [3, rows, columns]. */
interface PixelGrid {
  readonly step: number;
  readonly shape: readonly [number, number, number];
  readonly values: string;
}

export interface PictureFigures<F extends Found> extends Size {
  readonly file: string;
  /** The repetitions of the photograph across and down. */
  readonly tiles: readonly [number, number];
  readonly pixels: PixelGrid;
  readonly found: readonly F[];
}

export interface TokenRow {
  readonly prompt: string;
  readonly ids: readonly number[];
}

export interface Figures<F extends Found = Found, T extends TokenRow = TokenRow> {
  readonly tokens: readonly T[];
  readonly pictures: readonly PictureFigures<F>[];
}

/** The folder of a model's graphs and figures. */
export function fixtures(model: string): string {
  return fileURLToPath(new URL(`fixtures/${model}`, import.meta.url));
}

/** The figures of a model: of all its pictures in the long form of a test, else of a wide one and of a high one. */
export async function readFigures<F extends Figures>(model: string): Promise<F> {
  const figures: F = JSON.parse(await readFile(`${fixtures(model)}/figures.json`, "utf8"));
  return isLong ? figures : { ...figures, pictures: figures.pictures.filter((_, at) => at % 4 === 0) };
}

/** The picture of the figures. */
export async function pictureOf({ file, tiles, width, height }: PictureFigures<Found>): Promise<Picture> {
  const [across, down] = tiles;
  const one = await sharp(PROJECT + file)
    .toColourspace("srgb")
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const row = 3 * one.info.width;
  const rgb = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y += 1) {
    const from = (y % one.info.height) * row;
    const pixels = one.data.subarray(from, from + row);
    for (let tile = 0; tile < across; tile += 1) rgb.set(pixels, 3 * width * y + row * tile);
  }
  expect([one.info.width * across, one.info.height * down]).toEqual([width, height]);
  return { width, height, rgb, contentHash: null };
}

/** The largest distance of a value of our input from the reference's. */
export function pixelDistance({ tensor }: ImageTensor, { step, shape, values }: PixelGrid): number {
  const bytes = Buffer.from(values, "base64");
  const [height = 0, width = 0] = tensor.dims.slice(-2);
  const [channels, rows, columns] = shape;
  let most = 0;
  for (let channel = 0; channel < channels; channel += 1)
    for (let row = 0; row < rows; row += 1)
      for (let column = 0; column < columns; column += 1) {
        const ours = Number(tensor.data[(channel * height + row * step) * width + column * step]);
        const theirs = bytes.readFloatLE(4 * ((channel * rows + row) * columns + column));
        most = Math.max(most, Math.abs(ours - theirs));
      }
  return most;
}

/** The largest distances of our values from the reference's. */
export interface Tolerance {
  /** Of the input, after normalization. */
  readonly pixels: number;
  /** Of boxes, in pixels. */
  readonly box: number;
  readonly score: number;
  /** The least IoU of masks. */
  readonly overlap: number;
}

// OWLv2's processor blurs and interpolates in single precision.
const SAME: Tolerance = { pixels: 2e-6, box: 0.5, score: 1e-3, overlap: 0.999 };

/** The most bytes by which libvips differs where it shrinks a picture; only at the sharpest edges. */
const SHRUNK_BYTES = 6;

/** For a picture of a size: all is the same, unless libvips shrinks it. Graphs of random weights multiply the difference. */
export function toleranceOf(picture: Size, { width, height, fit, kernel, std }: ImageInput): Tolerance {
  if (fit === "square" || kernel === "unfiltered" || (picture.width <= width && picture.height <= height))
    return SAME;
  return { pixels: SHRUNK_BYTES / Math.min(...std), box: 10, score: 0.05, overlap: 0.95 };
}

/**
 * Expects exactly the reference's boxes among ours, cut at the picture; leaves out boxes in the bars next to the
 * picture. A box whose score is the threshold, up to the tolerance of scores, may be there or not.
 */
export function expectSame(
  found: readonly { readonly box: Corners; readonly score: number }[],
  { boxes, scores }: Pick<Found, "boxes" | "scores">,
  picture: Size,
  threshold: number,
  { box: far, score: apart } = SAME,
): void {
  const rest = new Set(found);
  for (const [place, box] of boxes.entries()) {
    const [wanted, score] = [clipBox(box, picture.width, picture.height), scores[place] ?? Number.NaN];
    if (wanted === undefined) continue;
    const same = [...rest].find(
      (one) =>
        Math.abs(one.score - score) < apart &&
        one.box.every((side, i) => Math.abs(side - (wanted[i] ?? 0)) < far),
    );
    if (same !== undefined) rest.delete(same);
    else expect(score, `[${wanted.join(", ")}]`).toBeLessThan(threshold + apart);
  }
  for (const { score, box } of rest) expect(score, `[${box.join(", ")}]`).toBeLessThan(threshold + apart);
}

/** The IoU of a mask with one of the reference's. */
export function overlap(ours: readonly boolean[], runs: readonly number[]): number {
  const theirs = runs.flatMap((length, run) => Array.from({ length }, () => run % 2 === 1));
  let [both, either] = [0, 0];
  for (const [i, set] of ours.entries()) {
    if (set && theirs[i] === true) both += 1;
    if (set || theirs[i] === true) either += 1;
  }
  return both / either;
}

/** A committed manifest template, as if all its files were there. @param place below `models/` */
export async function filledTemplate(place: string): Promise<Record<string, unknown>> {
  const folder = new URL(`../../models/${dirname(place)}/`, import.meta.url);
  const found = new Map<string, unknown>();
  for (const name of (await readdir(folder)).filter((file) => file.endsWith(".json")))
    found.set(name, JSON.parse(await readFile(new URL(name, folder), "utf8")));
  const template = present(readTemplates(found).get(basename(place)));
  return { ...template, files: template.files.map((file) => ({ ...file, size: 1, sha256: "0".repeat(64) })) };
}
