import { createHash } from "node:crypto";
import { join } from "node:path";
import sharp from "sharp";
import type { Picture } from "../../../inference-container/src/models/model.ts";
import { PROJECT_ROOT } from "../../shared/root.ts";

/** The sample photographs, each with a first and a second prompt. */
const SAMPLES = [
  { name: "chelsea", prompts: ["cat", "kitten"] },
  { name: "coffee", prompts: ["cup", "spoon"] },
  { name: "astronaut", prompts: ["person", "woman"] },
] as const;

export interface BenchPicture {
  readonly prompts: readonly [string, string];
  /** The file to upload. */
  readonly file: Uint8Array<ArrayBuffer>;
  /** The same picture, decoded for the bare loop. */
  readonly picture: Picture;
}

/** The n-th picture: a sample with one unique pixel, so that no cache has seen it. */
export async function benchPicture(n: number): Promise<BenchPicture> {
  const { name, prompts } = SAMPLES[n % SAMPLES.length] ?? SAMPLES[0];
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
  return { prompts, file, picture: { width, height, rgb, contentHash } };
}
