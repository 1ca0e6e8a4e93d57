import sharp, { type Sharp } from "sharp";

/** A dark picture, 80 × 60, whose right half is bright. */
function halfBright(): Sharp {
  const rgb = Buffer.alloc(80 * 60 * 3, 20);
  for (let y = 0; y < 60; y++) rgb.fill(240, (y * 80 + 40) * 3, (y * 80 + 80) * 3);
  return sharp(rgb, { raw: { width: 80, height: 60, channels: 3 } });
}

/** Noise, 200 × 150: no encoding makes it small, so its bytes hold pixels nearly to the end. */
function noise(): Sharp {
  let state = 12_345;
  const rgb = Uint8Array.from({ length: 200 * 150 * 3 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 24;
  });
  return sharp(rgb, { raw: { width: 200, height: 150, channels: 3 } });
}

/** The same picture, bright on the right, in each encoding that the service reads. */
export const samples = (): Promise<Record<string, Buffer>> => everyEncoding(halfBright);

/** Noise in each encoding that the service reads. */
export const noisySamples = (): Promise<Record<string, Buffer>> => everyEncoding(noise);

async function everyEncoding(picture: () => Sharp): Promise<Record<string, Buffer>> {
  return {
    "bright.png": await picture().png().toBuffer(),
    "bright.jpg": await picture().jpeg().toBuffer(),
    "progressive.jpg": await picture().jpeg({ progressive: true }).toBuffer(),
    "cmyk.jpg": await picture().toColourspace("cmyk").jpeg().toBuffer(),
    "grey.jpg": await picture().greyscale().jpeg().toBuffer(),
    "grey16.png": await picture().greyscale().toColourspace("grey16").png().toBuffer(),
    "rgb16.png": await picture().toColourspace("rgb16").png().toBuffer(),
    "palette.png": await picture().png({ palette: true }).toBuffer(),
    "alpha.png": await picture().ensureAlpha(0.9).png().toBuffer(),
    "bright.webp": await picture().webp({ lossless: true }).toBuffer(),
    "bright.gif": await picture().gif().toBuffer(),
    "bright.avif": await picture().avif({ effort: 0 }).toBuffer(),
  };
}

/** Bright at the bottom once its orientation is applied: a viewer turns it a quarter clockwise. */
export function turned(): Promise<Buffer> {
  return halfBright().jpeg().withMetadata({ orientation: 6 }).toBuffer();
}

/** Two frames: bright on the right, then black. */
export async function animated(): Promise<Buffer> {
  const first = await halfBright().png().toBuffer();
  const second = await sharp({ create: { width: 80, height: 60, channels: 3, background: "#000" } })
    .png()
    .toBuffer();
  return sharp([first, second], { join: { animated: true } })
    .gif()
    .toBuffer();
}

/** Opaque and bright on the right; fully transparent black on the left. */
export async function cutOut(): Promise<Buffer> {
  const { data } = await halfBright().ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  for (let pixel = 0; pixel < 80 * 60; pixel++) {
    if (pixel % 80 < 40) data.fill(0, pixel * 4, pixel * 4 + 4);
  }
  return sharp(data, { raw: { width: 80, height: 60, channels: 4 } })
    .png()
    .toBuffer();
}

/** The magic bytes of formats that the service doesn't read, by the format's name. */
export async function unreadable(): Promise<Record<string, Buffer>> {
  const ftyp = (brand: string): Buffer =>
    Buffer.concat([
      Buffer.from([0, 0, 0, 24]),
      Buffer.from(`ftyp${brand}\0\0\0\0${brand}miaf`),
      Buffer.alloc(64),
    ]);
  return {
    HEIC: ftyp("heic"),
    SVG: Buffer.from('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'),
    TIFF: await halfBright().tiff().toBuffer(),
    BMP: Buffer.concat([Buffer.from("BM"), Buffer.alloc(4, 7), Buffer.alloc(60)]),
    PDF: Buffer.from("%PDF-1.7\n"),
  };
}

/** A video's first bytes. */
export const mp4 = Buffer.concat([
  Buffer.from([0, 0, 0, 16]),
  Buffer.from("ftypisom\0\0\0\0"),
  Buffer.alloc(64),
]);
