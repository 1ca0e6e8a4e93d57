/** Duration of one frame of a panned picture, in ms. */
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
