import type { Layer } from "../../../src/viewer/index.ts";

/** What one frame of a panned picture took, in ms. */
export interface FrameTimes {
  /** From the frame's drawing until the last pixel was there. */
  readonly drawn: number;
  /** From the frame before to this one. */
  readonly between: number;
}

const nextFrame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));

/** Pans a canvas's picture by the pointer for some frames, back and forth. @throws Error if the canvas has no WebGL2 */
export async function panFrames(canvas: HTMLCanvasElement, count: number): Promise<FrameTimes[]> {
  const gl = canvas.getContext("webgl2");
  if (gl === null) throw new Error("The canvas has no WebGL2.");
  const pixel = new Uint8Array(4);
  const times: FrameTimes[] = [];
  const move = (type: string, x: number, y: number): boolean =>
    canvas.dispatchEvent(
      new PointerEvent(type, { pointerId: 1, pointerType: "mouse", clientX: x, clientY: y, buttons: 1 }),
    );
  // A pointer that is made up can't be captured.
  canvas.setPointerCapture = () => undefined;
  move("pointerdown", 640, 400);
  let last = await nextFrame();
  for (let i = 0; i < count; i++) {
    let begun = 0;
    requestAnimationFrame(() => {
      begun = performance.now();
    });
    const way = Math.abs((i % 60) - 30) * 9;
    move("pointermove", 700 + way, 400 + way / 2);
    const now = await nextFrame();
    // Reading a pixel waits until all are there.
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    times.push({ drawn: performance.now() - begun, between: now - last });
    last = now;
  }
  move("pointerup", 700, 400);
  return times;
}

/** Masks of a large picture: ellipses in rows, of which each covers its neighbours a little. */
export function ellipses(
  count: number,
  width: number,
  height: number,
  colourOf: (i: number) => Layer["colour"],
): Layer[] {
  const columns = Math.ceil(Math.sqrt((count * width) / height));
  const rows = Math.ceil(count / columns);
  const [wide, high] = [(0.6 * width) / columns, (0.6 * height) / rows];
  return Array.from({ length: count }, (_, i) => {
    const [x, y] = [
      ((i % columns) + 0.5) * (width / columns),
      (Math.floor(i / columns) + 0.5) * (height / rows),
    ];
    const data = new Uint8Array(width * height);
    for (let row = Math.max(0, Math.ceil(y - high)); row < Math.min(height, y + high); row++) {
      const half = wide * Math.sqrt(1 - ((row - y) / high) ** 2);
      const from = Math.max(0, Math.round(x - half));
      data.fill(255, row * width + from, row * width + Math.min(width, Math.round(x + half)));
    }
    return {
      id: `ellipse ${i}`,
      mask: { width, height, data },
      colour: colourOf(i),
      visible: true,
      label: "",
    };
  });
}
