import { markdownTable } from "../table.ts";
import type { MemoryRun } from "./memory.ts";

type Row = readonly [label: string, value: (run: MemoryRun) => number, decimals: number];

const MEGA = 1_000_000;

const ROWS: readonly Row[] = [
  ["frames processed", ({ frames }) => frames, 0],
  ["whole path, s", ({ whole }) => whole / 1_000, 1],
  ["whole path, frames per second", ({ whole, frames }) => (1_000 * frames) / whole, 1],
  ["**engine, peak, MB**", ({ peaks }) => peaks.engine / MEGA, 0],
  ["service, peak, MB", ({ peaks }) => peaks.service / MEGA, 0],
  ["FFmpeg that lists the times, peak, MB", ({ peaks }) => peaks.probe / MEGA, 0],
  ["FFmpeg that decodes, peak, MB", ({ peaks }) => peaks.decoder / MEGA, 0],
  ["FFmpeg that encodes the preview, peak, MB", ({ peaks }) => peaks.encoder / MEGA, 0],
  ["the clip, MB", ({ clipBytes }) => clipBytes / MEGA, 1],
  ["masks.json, MB", ({ masksBytes }) => masksBytes / MEGA, 2],
  ["preview.mp4, MB", ({ previewBytes }) => previewBytes / MEGA, 2],
];

const length = (seconds: number): string => (seconds < 60 ? `${seconds} s` : `${seconds / 60} min`);

/** A Markdown table of a short and a long clip, with the ratio of each row. */
export function memoryReport(short: MemoryRun, long: MemoryRun): string[] {
  return markdownTable(
    ["", length(short.seconds), length(long.seconds), "ratio"],
    ROWS.map(([label, value, decimals]) => [
      label,
      value(short).toFixed(decimals),
      value(long).toFixed(decimals),
      (value(long) / value(short)).toFixed(2),
    ]),
  );
}
