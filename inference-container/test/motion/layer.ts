/** Flat pieces of photographs that a scene moves: their pixels, their cover and their objects. */
import sharp from "sharp";
import { reference, sample } from "../models/samples.ts";

/** A picture to move; each plane is row by row, `width * height` pixels. */
export interface Layer {
  readonly width: number;
  readonly height: number;
  /** Three bytes per pixel. */
  readonly rgb: Uint8Array;
  /** Opacity, 0 to 255; null if it is opaque everywhere. */
  readonly cover: Uint8Array | null;
  /** By object name: 255 where the object is, 0 elsewhere. */
  readonly objects: Readonly<Record<string, Uint8Array>>;
}

/** A whole sample photograph, enlarged by `scale`, with the named objects of its reference masks. */
export async function photograph(name: string, scale: number, prompts: readonly string[]): Promise<Layer> {
  const picture = await sample(name);
  const [width, height] = [Math.round(picture.width * scale), Math.round(picture.height * scale)];
  const rgb = await sharp(picture.rgb, { raw: { width: picture.width, height: picture.height, channels: 3 } })
    .resize(width, height, { fit: "fill" })
    .raw()
    .toBuffer();
  const masks = await Promise.all(
    prompts.map(
      async (prompt) => [prompt, await enlargedMask(name, prompt, picture, width, height)] as const,
    ),
  );
  const objects = Object.fromEntries(masks.map(([prompt, mask]) => [prompt, mask.map(hard)]));
  return { width, height, rgb, cover: null, objects };
}

/** One object of a sample photograph, cut out along its reference mask and named `as`. */
export async function cutOut(
  name: string,
  prompt: string,
  { as, scale, mirrored = false }: { as: string; scale: number; mirrored?: boolean },
): Promise<Layer> {
  const whole = await photograph(name, scale, []);
  const { width, height } = whole;
  const cover = await enlargedMask(name, prompt, await sample(name), width, height);
  const rgba = Buffer.alloc(width * height * 4);
  for (let i = 0; i < cover.length; i += 1) {
    rgba.set(whole.rgb.subarray(3 * i, 3 * i + 3), 4 * i);
    rgba[4 * i + 3] = cover[i] ?? 0;
  }
  const [left, top, right, bottom] = boundsOf(cover, width);
  const piece = sharp(rgba, { raw: { width, height, channels: 4 } })
    .extract({ left, top, width: right - left, height: bottom - top })
    .flop(mirrored);
  const { data, info } = await piece.raw().toBuffer({ resolveWithObject: true });
  const pixels = info.width * info.height;
  const rgb = Uint8Array.from({ length: 3 * pixels }, (_, i) => data[4 * Math.floor(i / 3) + (i % 3)] ?? 0);
  const alpha = Uint8Array.from({ length: pixels }, (_, i) => data[4 * i + 3] ?? 0);
  return { width: info.width, height: info.height, rgb, cover: alpha, objects: { [as]: alpha.map(hard) } };
}

/** A cut-out turned clockwise about its middle; the layer grows as far as that needs. */
export async function turned({ width, height, rgb, cover, objects }: Layer, degrees: number): Promise<Layer> {
  const plane = async (values: Uint8Array, channels: 1 | 3) => {
    const { data, info } = await sharp(values, { raw: { width, height, channels } })
      .rotate(degrees, { background: "#000000" })
      .toColourspace(channels === 1 ? "b-w" : "srgb")
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { data, info };
  };
  const { data, info } = await plane(rgb, 3);
  const alone = async (values: Uint8Array) => (await plane(values, 1)).data;
  const planes = Object.entries(objects).map(
    async ([name, object]) => [name, (await alone(object)).map(hard)] as const,
  );
  return {
    width: info.width,
    height: info.height,
    rgb: data,
    cover: cover && (await alone(cover)),
    objects: Object.fromEntries(await Promise.all(planes)),
  };
}

/** A part of a sample photograph without objects, stretched into a background. */
export async function backdrop(
  name: string,
  part: { left: number; top: number; width: number; height: number },
  width: number,
  height: number,
): Promise<Layer> {
  const picture = await sample(name);
  const rgb = await sharp(picture.rgb, { raw: { width: picture.width, height: picture.height, channels: 3 } })
    .extract(part)
    .resize(width, height, { fit: "fill", kernel: "cubic" })
    .raw()
    .toBuffer();
  return { width, height, rgb, cover: null, objects: {} };
}

/** A reference mask at another size, with a soft outline. */
async function enlargedMask(
  name: string,
  prompt: string,
  from: { width: number; height: number },
  width: number,
  height: number,
): Promise<Uint8Array> {
  const mask = await reference(`${name}-${prompt}`);
  const grey = Uint8Array.from(mask, (set) => (set ? 255 : 0));
  return sharp(grey, { raw: { width: from.width, height: from.height, channels: 1 } })
    .resize(width, height, { fit: "fill", kernel: "cubic" })
    .toColourspace("b-w")
    .raw()
    .toBuffer();
}

function hard(value: number): number {
  return value > 127 ? 255 : 0;
}

/** [left, top, right, bottom) of the set pixels. */
function boundsOf(mask: Uint8Array, width: number): [number, number, number, number] {
  let [left, top, right, bottom] = [width, Math.ceil(mask.length / width), 0, 0];
  mask.forEach((value, i) => {
    if (value <= 127) return;
    const [x, y] = [i % width, Math.floor(i / width)];
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x + 1), Math.max(bottom, y + 1)];
  });
  return [left, top, right, bottom];
}
