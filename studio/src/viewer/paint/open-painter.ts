import { GlPainter } from "./gl-painter.ts";
import type { Painter } from "./painter.ts";

/** Opens the best painter that the browser has for a canvas. @throws Error if it has none */
export async function openPainter(canvas: HTMLCanvasElement): Promise<Painter> {
  const gl = canvas.getContext("webgl2", { antialias: false, depth: false, alpha: true });
  if (gl !== null) return new GlPainter(gl);
  const { FlatPainter } = await import("./flat-painter.ts");
  const flat = canvas.getContext("2d");
  if (flat === null) throw new Error("The browser can't draw on a canvas.");
  return new FlatPainter(flat);
}
