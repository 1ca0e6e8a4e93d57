import { isFirstEdge, outlinesOf, type RowRuns } from "@segmentation/masks";
import { runsOf } from "./labels.ts";
import type { NamedMask } from "./types.ts";

/** Returns the outlines of a mask along the sides of its pixels, those of holes included, as the data of an SVG path. */
export function pathDataOf(runs: RowRuns): string {
  const { following, rowOf, begins } = outlinesOf(runs);
  return begins
    .map((begin) => {
      const steps: string[] = [];
      let edge = begin;
      do {
        // Up along the first edge of a run, down along the last.
        const [from, to] = isFirstEdge(edge)
          ? [rowOf(edge) + 1, rowOf(edge)]
          : [rowOf(edge), rowOf(edge) + 1];
        const x = runs.edges[edge] ?? 0;
        if (edge === begin) steps.push(`M${x} ${from}`);
        else steps.push(`H${x}`);
        steps.push(`V${to}`);
        edge = following[edge] ?? begin;
      } while (edge !== begin);
      return `${shortened(steps).join("")}Z`;
    })
    .join("");
}

/** Leaves out steps to where the path is already, and all but the last of steps in one direction. */
function shortened(steps: readonly string[]): string[] {
  const short: string[] = [];
  let x = "";
  for (const step of steps) {
    const value = step.slice(1);
    if (step.startsWith("H") && value === x) continue;
    if (!step.startsWith("V")) x = value.split(" ")[0] ?? "";
    if (step.startsWith("V") && short.at(-1)?.startsWith("V")) short.pop();
    short.push(step);
  }
  return short;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Draws the outlines of a picture's objects as SVG, each filled in its color. Absent without a mask. */
export async function svgOf(masks: readonly NamedMask[]): Promise<Blob[]> {
  let size = { width: 0, height: 0 };
  const paths: string[] = [];
  for (const { png, rgb, title } of masks) {
    const runs = await runsOf(png);
    size = runs;
    const name = title.replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? "");
    paths.push(`<path fill="rgb(${rgb.join(",")})" d="${pathDataOf(runs)}"><title>${name}</title></path>`);
  }
  if (paths.length === 0) return [];
  const { width, height } = size;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" fill-rule="evenodd">`;
  return [
    new Blob([head, "\n", ...paths.flatMap((path) => [path, "\n"]), "</svg>\n"], { type: "image/svg+xml" }),
  ];
}
