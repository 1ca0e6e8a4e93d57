import type { Size } from "../types.ts";

/**
 * Keeps a canvas as fine as the screen: its pixels are the device's. `onSize` is called with the size in CSS pixels and the device pixels
 * per CSS pixel, first as soon as they are known. Returns what ends it.
 */
export function watchSize(
  canvas: HTMLCanvasElement,
  onSize: (frame: Size, ratio: number) => void,
): () => void {
  const observer = new ResizeObserver(([entry]) => {
    if (entry === undefined) return;
    const { width, height } = entry.contentRect;
    // Safari doesn't report device pixels.
    const [exact] =
      (entry.devicePixelContentBoxSize as typeof entry.devicePixelContentBoxSize | undefined) ?? [];
    canvas.width = exact?.inlineSize ?? Math.round(width * devicePixelRatio);
    canvas.height = exact?.blockSize ?? Math.round(height * devicePixelRatio);
    onSize({ width, height }, width === 0 ? devicePixelRatio : canvas.width / width);
  });
  try {
    observer.observe(canvas, { box: "device-pixel-content-box" });
  } catch {
    observer.observe(canvas);
  }
  return () => observer.disconnect();
}
