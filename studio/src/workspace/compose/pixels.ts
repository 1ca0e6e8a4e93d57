import type { Bitmap, RowRuns } from "@segmentation/masks";
import type { Stroke } from "../rules/edit-history.ts";

/** Paints a stroke into a mask: the pixels whose centers are nearer to its line than its radius are set, or cleared. */
export function paint({ width, height, data }: Bitmap, { mode, radius, points }: Stroke): void {
  const value = mode === "brush" ? 255 : 0;
  for (let i = 0; i < points.length; i += 2) {
    const [x2 = 0, y2 = 0] = points.slice(i, i + 2);
    const [x1, y1] = i === 0 ? [x2, y2] : [points[i - 2] ?? x2, points[i - 1] ?? y2];
    const [dx, dy] = [x2 - x1, y2 - y1];
    const length = dx * dx + dy * dy;
    const from = { x: Math.floor(Math.min(x1, x2) - radius), y: Math.floor(Math.min(y1, y2) - radius) };
    const to = { x: Math.ceil(Math.max(x1, x2) + radius), y: Math.ceil(Math.max(y1, y2) + radius) };
    for (let y = Math.max(0, from.y); y < Math.min(height, to.y); y++)
      for (let x = Math.max(0, from.x); x < Math.min(width, to.x); x++) {
        const [ax, ay] = [x + 0.5 - x1, y + 0.5 - y1];
        const along = length === 0 ? 0 : Math.min(1, Math.max(0, (ax * dx + ay * dy) / length));
        const [bx, by] = [ax - along * dx, ay - along * dy];
        if (bx * bx + by * by < radius * radius) data[y * width + x] = value;
      }
  }
}

/** A mask that has the pixels of each of several. @throws RangeError if their sizes differ */
export function union(masks: readonly Bitmap[]): Bitmap {
  const [first] = masks;
  if (first === undefined) throw new RangeError("There is no mask.");
  const data = new Uint8Array(first.data.length);
  for (const mask of masks) {
    if (mask.data.length !== data.length) throw new RangeError("The masks are of two sizes.");
    for (let i = 0; i < data.length; i++) if (mask.data[i]) data[i] = 255;
  }
  return { width: first.width, height: first.height, data };
}

/** A mask's connected parts, the largest first: the runs of each, by their indices in `edges`. Pixels connect by their sides. */
export function partsOf({ height, starts, edges }: RowRuns): readonly (readonly number[])[] {
  const parent = Int32Array.from({ length: edges.length }, (_, i) => i);
  const rootOf = (run: number): number => {
    let root = run;
    while (parent[root] !== root) root = parent[root] = parent[parent[root] ?? 0] ?? 0;
    return root;
  };
  for (let y = 1; y < height; y++) {
    let above = starts[y - 1] ?? 0;
    let here = starts[y] ?? 0;
    const [aboveEnd, hereEnd] = [here, starts[y + 1] ?? here];
    while (above < aboveEnd && here < hereEnd) {
      const [aboveTo, hereTo] = [edges[above + 1] ?? 0, edges[here + 1] ?? 0];
      if ((edges[above] ?? 0) < hereTo && (edges[here] ?? 0) < aboveTo) parent[rootOf(here)] = rootOf(above);
      if (aboveTo <= hereTo) above += 2;
      else here += 2;
    }
  }
  const parts = new Map<number, number[]>();
  for (let run = 0; run < edges.length; run += 2) {
    const root = rootOf(run);
    const part = parts.get(root);
    if (part === undefined) parts.set(root, [run]);
    else part.push(run);
  }
  const area = (runs: readonly number[]): number =>
    runs.reduce((sum, run) => sum + (edges[run + 1] ?? 0) - (edges[run] ?? 0), 0);
  return [...parts.values()].toSorted((a, b) => area(b) - area(a));
}

/** One of a mask's connected parts, the largest first; the last one of `parts` has all that are smaller, too. */
export function partOf(runs: RowRuns, part: number, parts: number): Bitmap {
  const { width, height, starts, edges } = runs;
  const all = partsOf(runs);
  const wanted = new Set(part === parts - 1 ? all.slice(part).flat() : (all[part] ?? []));
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let run = starts[y] ?? 0; run < (starts[y + 1] ?? 0); run += 2)
      if (wanted.has(run)) data.fill(255, y * width + (edges[run] ?? 0), y * width + (edges[run + 1] ?? 0));
  return { width, height, data };
}
