import { createHash } from "node:crypto";
import { join } from "node:path";
import type { RegionPoint } from "@segmentation/masks";
import sharp from "sharp";
import type { Picture } from "../../../inference-container/src/models/model.ts";
import { PROJECT_ROOT } from "../../shared/root.ts";

/** The sample photographs, each with a first and a second prompt, and with points on two objects. */
const SAMPLES = [
  { name: "chelsea", prompts: ["cat", "kitten"], points: [point(225, 150), point(40, 40)] },
  { name: "coffee", prompts: ["cup", "spoon"], points: [point(130, 230), point(366, 283)] },
  { name: "astronaut", prompts: ["person", "woman"], points: [point(220, 400), point(440, 250)] },
] as const;

function point(x: number, y: number): RegionPoint {
  return { x, y, label: 1 };
}

export interface BenchPicture {
  readonly prompts: readonly [string, string];
  /** The file to upload. */
  readonly file: Uint8Array<ArrayBuffer>;
  /** The same picture, decoded for the bare loop. */
  readonly picture: Picture;
}

/** A sample photograph with known objects at known places. */
export interface BenchSample extends BenchPicture {
  /** On two objects. */
  readonly points: readonly [RegionPoint, RegionPoint];
}

/** The n-th picture: a sample with one unique pixel, so that no cache has seen it. */
export async function benchPicture(n: number): Promise<BenchSample> {
  const { name, prompts, points } = SAMPLES[n % SAMPLES.length] ?? SAMPLES[0];
  const { data: rgb, info } = await sharp(join(PROJECT_ROOT, "samples", `${name}.png`))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  rgb.writeUIntBE(n, 0, 3);
  const { width, height } = info;
  const file = new Uint8Array(
    await sharp(rgb, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  );
  const contentHash = createHash("sha256").update(file).digest("hex");
  return { prompts, points, file, picture: { width, height, rgb, contentHash } };
}

/** Returns a picture of `megapixels` like a camera's: the sample photograph of a cat, enlarged, as a JPEG. */
export async function largePicture(megapixels: number): Promise<BenchPicture> {
  const width = Math.round(Math.sqrt((megapixels * 1e6 * 4) / 3));
  const height = Math.round((width * 3) / 4);
  const jpeg = await sharp(join(PROJECT_ROOT, "samples", "chelsea.png"))
    .resize(width, height, { fit: "fill" })
    .jpeg({ quality: 90 })
    .toBuffer();
  const rgb = await sharp(jpeg).raw().toBuffer();
  const contentHash = createHash("sha256").update(jpeg).digest("hex");
  return {
    prompts: ["cat", "kitten"],
    file: new Uint8Array(jpeg),
    picture: { width, height, rgb, contentHash },
  };
}

/** Returns a file of `megapixels` with camera noise, which takes a decoder as much work as a photograph. */
export async function photograph(megapixels: number): Promise<Uint8Array<ArrayBuffer>> {
  const { file, picture } = await largePicture(megapixels);
  const { width, height } = picture;
  const noise = { type: "gaussian", mean: 128, sigma: 25 } as const;
  const grain = await sharp({ create: { width, height, channels: 3, background: "#808080", noise } })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const jpeg = sharp(file)
    .composite([{ input: grain, blend: "soft-light" }])
    .jpeg({ quality: 90 });
  return new Uint8Array(await jpeg.toBuffer());
}
