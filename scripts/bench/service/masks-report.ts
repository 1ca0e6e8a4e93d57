import { type Row, spreadTable } from "../table.ts";
import type { MaskRun } from "./masks.ts";

const ROWS: readonly Row<MaskRun>[] = [
  ["ours from the logits, ms", ({ ours }) => ours, 2],
  ["– finding the runs of set pixels", ({ rasterise }) => rasterise, 2],
  ["the plain way, pixel by pixel, ms", ({ plain }) => plain, 1],
  ["sharp, PNG of a grey buffer, ms", ({ png }) => png, 1],
  ["the same, fastest deflate, ms", ({ fastPng }) => fastPng, 1],
  ["**the plain way ÷ ours**", ({ plain, ours }) => plain / ours, 1],
  ["**grey buffer ÷ ours**", ({ png, ours }) => png / ours, 1],
  ["**grey buffer, fastest deflate ÷ ours**", ({ fastPng, ours }) => fastPng / ours, 1],
  ["our file, kB", ({ bytes }) => bytes / 1_000, 1],
  ["sharp's file, kB", ({ pngBytes }) => pngBytes / 1_000, 1],
];

/** The masks as a Markdown table with one column per size. */
export function masksReport(runs: readonly MaskRun[]): string[] {
  const sizes = [...new Set(runs.map(({ megapixels }) => megapixels))];
  return spreadTable(
    ROWS,
    sizes.map((size) => {
      return { heading: `${size} megapixels`, runs: runs.filter(({ megapixels }) => megapixels === size) };
    }),
  );
}
