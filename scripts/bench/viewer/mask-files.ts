import { encodeMaskPng } from "../../../inference-container/src/masks/mask-png.ts";
import { RunList } from "../../../inference-container/src/masks/runs/row-runs.ts";

/** A mask's file, and the middle of what is in it. */
export interface EllipseFile {
  readonly file: Uint8Array;
  readonly x: number;
  readonly y: number;
}

/** The mask files of ellipses in rows, of which each covers its neighbours a little. */
export function ellipseFiles(count: number, width: number, height: number): EllipseFile[] {
  const columns = Math.ceil(Math.sqrt((count * width) / height));
  const rows = Math.ceil(count / columns);
  const [wide, high] = [(0.6 * width) / columns, (0.6 * height) / rows];
  return Array.from({ length: count }, (_, i) => {
    const x = ((i % columns) + 0.5) * (width / columns);
    const y = (Math.floor(i / columns) + 0.5) * (height / rows);
    const runs = new RunList(height);
    for (let row = 0; row < height; row++) {
      runs.startRow(row, width);
      const half = wide * Math.sqrt(Math.max(0, 1 - ((row - y) / high) ** 2));
      const [from, to] = [Math.max(0, Math.round(x - half)), Math.min(width, Math.round(x + half))];
      if (from < to) runs.add(from, to);
    }
    const file = encodeMaskPng(runs.finish(width, height), { keyword: "prompt", text: "ellipse" });
    return { file, x, y };
  });
}
