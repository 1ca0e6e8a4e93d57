import type { Box } from "@segmentation/masks";

/** Draws a box of the frame, in device pixels from below, which is the scissor box when it is called. */
type Draw = (box: Box) => void;

/** Returns the intersection of two boxes, which may be empty. */
export function within([x, y, width, height]: Box, [left, low, across, up]: Box): Box {
  const [from, to] = [Math.max(x, left), Math.min(x + width, left + across)];
  const [bottom, top] = [Math.max(y, low), Math.min(y + height, low + up)];
  return [from, bottom, Math.max(0, to - from), Math.max(0, top - bottom)];
}

/** Splits the rest of a box without a part of it, which is not empty. */
export function without([x, y, width, height]: Box, [left, low, across, up]: Box): Box[] {
  const rest: Box[] = [
    [x, y, width, low - y],
    [x, low + up, width, y + height - low - up],
    [x, low, left - x, up],
    [left + across, low, x + width - left - across, up],
  ];
  return rest.filter(([, , wide, high]) => wide > 0 && high > 0);
}

/** Cached frame: when the picture only moves, its visible part is copied, and only the rest is drawn. */
export class CachedFrame {
  readonly #gl: WebGL2RenderingContext;
  #size: readonly [width: number, height: number] = [0, 0];
  #front: WebGLFramebuffer | null = null;
  #back: WebGLFramebuffer | null = null;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
  }

  /** Draws the whole frame again. */
  redraw(draw: Draw): void {
    const gl = this.#gl;
    const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
    if (!this.#isOfSize()) {
      this.#size = [width, height];
      this.#front = this.#buffer(this.#front);
      this.#back = this.#buffer(this.#back);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#front);
    this.#drawIn([0, 0, width, height], draw);
    this.#show();
  }

  /**
   * Moves the frame by device pixels, to the right and up; `draw` is called for each box that comes into view, and for the changed
   * box, at its place after the move.
   */
  move(dx: number, dy: number, changed: Box | null, draw: Draw): void {
    const gl = this.#gl;
    const [width, height] = this.#size;
    if (!this.#isOfSize() || Math.abs(dx) >= width || Math.abs(dy) >= height) return this.redraw(draw);
    if (dx !== 0 || dy !== 0) {
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, this.#front);
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, this.#back);
      const [left, right] = [Math.max(0, -dx), width - Math.max(0, dx)];
      const [low, high] = [Math.max(0, -dy), height - Math.max(0, dy)];
      const to = [left + dx, low + dy, right + dx, high + dy] as const;
      gl.blitFramebuffer(left, low, right, high, ...to, gl.COLOR_BUFFER_BIT, gl.NEAREST);
      [this.#front, this.#back] = [this.#back, this.#front];
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.#front);
      if (dx !== 0) this.#drawIn([dx > 0 ? 0 : width + dx, 0, Math.abs(dx), height], draw);
      if (dy !== 0) this.#drawIn([0, dy > 0 ? 0 : height + dy, width, Math.abs(dy)], draw);
    }
    if (changed !== null) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.#front);
      this.#drawIn(within([0, 0, width, height], changed), draw);
    }
    this.#show();
  }

  #isOfSize(): boolean {
    const { drawingBufferWidth, drawingBufferHeight } = this.#gl;
    return this.#size[0] === drawingBufferWidth && this.#size[1] === drawingBufferHeight;
  }

  #drawIn(box: Box, draw: Draw): void {
    const gl = this.#gl;
    gl.viewport(0, 0, ...this.#size);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(...box);
    gl.clear(gl.COLOR_BUFFER_BIT);
    draw(box);
    gl.disable(gl.SCISSOR_TEST);
  }

  /** Copies the frame to the canvas. */
  #show(): void {
    const gl = this.#gl;
    const [width, height] = this.#size;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, this.#front);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
  }

  #buffer(former: WebGLFramebuffer | null): WebGLFramebuffer {
    const gl = this.#gl;
    gl.deleteFramebuffer(former);
    const [buffer, pixels] = [gl.createFramebuffer(), gl.createRenderbuffer()];
    gl.bindRenderbuffer(gl.RENDERBUFFER, pixels);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.RGBA8, ...this.#size);
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, pixels);
    // A framebuffer that isn't bound keeps its pixels, and they go with it.
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteRenderbuffer(pixels);
    return buffer;
  }
}
