/** Layers in known motion: renders the frames, and knows the truth about the objects in them. */
import type { Layer } from "./layer.ts";

/** The position of a layer's top left corner in frame pixels, and frame pixels per layer pixel. */
export interface Placed {
  readonly layer: Layer;
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** A video without any randomness. */
export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly seconds: number;
  /** The layers at a time in seconds, from back to front. */
  readonly at: (time: number) => readonly Placed[];
}

/** The true place of an object; `mask` has one byte per frame pixel, 1 where the object is visible. */
export interface Truth {
  readonly name: string;
  readonly mask: Uint8Array;
  /** [x1, y1, x2, y2] of the visible part; zeros if nothing is visible. */
  readonly box: readonly [number, number, number, number];
  /** The visible share, 0 to 1: the rest is hidden or beyond the picture's edge. */
  readonly visibleShare: number;
}

export function frameCount({ fps, seconds }: Scene): number {
  return Math.round(fps * seconds);
}

/** The frame at an index: three bytes per pixel, sampled bilinearly. */
export function renderFrame(scene: Scene, index: number): Uint8Array {
  const frame = new Uint8Array(scene.width * scene.height * 3);
  for (const placed of scene.at(index / scene.fps)) draw(frame, scene.width, scene.height, placed);
  return frame;
}

/** The truth about every object on the frame at a time in seconds. */
export function truthAt(scene: Scene, time: number): Truth[] {
  const placed = scene.at(Math.round(time * scene.fps) / scene.fps);
  return placed.flatMap((own, depth) =>
    Object.entries(own.layer.objects).map(([name, object]) => {
      const mask = stamp(scene, own, object);
      for (const front of placed.slice(depth + 1)) {
        const hidden = front.layer.cover === null ? null : stamp(scene, front, front.layer.cover);
        for (let i = 0; i < mask.length; i += 1) if (hidden === null || hidden[i] === 1) mask[i] = 0;
      }
      const whole = object.reduce((sum, value) => sum + (value > 127 ? 1 : 0), 0) * own.scale ** 2;
      const { box, area } = extent(mask, scene.width);
      return { name, mask, box, visibleShare: Math.min(1, area / whole) };
    }),
  );
}

/** For each frame pixel of an axis: the two layer samples around it, and how far it lies between; -1 beyond the edges. */
function taps(
  pixels: number,
  from: number,
  scale: number,
  samples: number,
): [Int32Array, Int32Array, Float32Array] {
  const first = new Int32Array(pixels).fill(-1);
  const second = new Int32Array(pixels);
  const fraction = new Float32Array(pixels);
  for (let i = 0; i < pixels; i += 1) {
    const position = (i + 0.5 - from) / scale - 0.5;
    if (position < -0.5 || position > samples - 0.5) continue;
    const index = Math.max(0, Math.floor(position));
    first[i] = index;
    second[i] = Math.min(samples - 1, index + 1);
    fraction[i] = Math.max(0, position - index);
  }
  return [first, second, fraction];
}

function draw(frame: Uint8Array, width: number, height: number, placed: Placed): void {
  const { layer, x, y, scale } = placed;
  if (layer.cover === null && scale === 1 && Number.isInteger(x) && Number.isInteger(y))
    return copy(frame, width, height, placed);
  const [lefts, rights, across] = taps(width, x, scale, layer.width);
  const [tops, bottoms, down] = taps(height, y, scale, layer.height);
  const { rgb, cover } = layer;
  for (let row = 0; row < height; row += 1) {
    const top = tops[row] ?? -1;
    if (top < 0) continue;
    const upper = top * layer.width;
    const lower = (bottoms[row] ?? 0) * layer.width;
    const fy = down[row] ?? 0;
    for (let column = 0; column < width; column += 1) {
      const left = lefts[column] ?? -1;
      if (left < 0) continue;
      const right = rights[column] ?? 0;
      const fx = across[column] ?? 0;
      const [a, b, c, d] = [upper + left, upper + right, lower + left, lower + right];
      const blend = (plane: Uint8Array, step: number, channel: number): number => {
        const above = (plane[a * step + channel] ?? 0) * (1 - fx) + (plane[b * step + channel] ?? 0) * fx;
        const below = (plane[c * step + channel] ?? 0) * (1 - fx) + (plane[d * step + channel] ?? 0) * fx;
        return above * (1 - fy) + below * fy;
      };
      const opacity = cover === null ? 1 : blend(cover, 1, 0) / 255;
      if (opacity === 0) continue;
      const to = (row * width + column) * 3;
      for (let channel = 0; channel < 3; channel += 1) {
        const behind = frame[to + channel] ?? 0;
        frame[to + channel] = Math.round(behind + (blend(rgb, 3, channel) - behind) * opacity);
      }
    }
  }
}

/** The simple case of `draw`: the layer's pixels are the frame's own. */
function copy(frame: Uint8Array, width: number, height: number, { layer, x, y }: Placed): void {
  const [from, to] = [Math.max(0, x), Math.min(width, x + layer.width)];
  for (let row = Math.max(0, y); row < Math.min(height, y + layer.height); row += 1) {
    const start = (row - y) * layer.width - x;
    if (from < to)
      frame.set(layer.rgb.subarray(3 * (start + from), 3 * (start + to)), 3 * (row * width + from));
  }
}

/** A layer's plane at its place in the frame: 1 where it is more than half. */
function stamp({ width, height }: Scene, { layer, x, y, scale }: Placed, plane: Uint8Array): Uint8Array {
  const mask = new Uint8Array(width * height);
  for (let row = 0; row < height; row += 1) {
    const v = Math.floor((row + 0.5 - y) / scale);
    if (v < 0 || v >= layer.height) continue;
    for (let column = 0; column < width; column += 1) {
      const u = Math.floor((column + 0.5 - x) / scale);
      if (u >= 0 && u < layer.width && (plane[v * layer.width + u] ?? 0) > 127)
        mask[row * width + column] = 1;
    }
  }
  return mask;
}

function extent(mask: Uint8Array, width: number): { box: [number, number, number, number]; area: number } {
  const box: [number, number, number, number] = [width, mask.length / width, 0, 0];
  let area = 0;
  mask.forEach((value, i) => {
    if (value === 0) return;
    const [x, y] = [i % width, Math.floor(i / width)];
    area += 1;
    [box[0], box[1]] = [Math.min(box[0], x), Math.min(box[1], y)];
    [box[2], box[3]] = [Math.max(box[2], x + 1), Math.max(box[3], y + 1)];
  });
  return { box: area === 0 ? [0, 0, 0, 0] : box, area };
}
