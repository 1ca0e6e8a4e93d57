import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import type { Instance, Picture } from "../../src/models/model.ts";
import { plainMask } from "../support/masks/plain-mask.ts";

export const SAMPLES = fileURLToPath(new URL("../../../samples/", import.meta.url));
const REFERENCES = fileURLToPath(new URL("reference/", import.meta.url));

/** One of the sample photographs, decoded. */
export async function sample(name: string): Promise<Picture> {
  return decoded(await readFile(`${SAMPLES}${name}.png`));
}

/** A PNG, decoded. */
export async function decoded(encoded: Uint8Array): Promise<Picture> {
  const { data, info } = await sharp(encoded).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const contentHash = createHash("sha256").update(encoded).digest("hex");
  return { width: info.width, height: info.height, rgb: data, contentHash };
}

/** Path of a picture of masks. */
export const referenceFile = (name: string): string => `${REFERENCES}${name}.png`;

/** A mask that a person laid over its photograph, inspected, and found right. */
export async function reference(name: string): Promise<boolean[]> {
  const grey = await sharp(referenceFile(name)).toColourspace("b-w").raw().toBuffer();
  return Array.from(grey, (value) => value > 127);
}

/** An instance's mask at the picture's size. */
export function maskOf({ mask }: Instance, { width, height }: Picture): boolean[] {
  return plainMask(mask, width, height, 0.5);
}

export function share(mask: readonly boolean[]): number {
  return mask.filter(Boolean).length / mask.length;
}

export function maskIou(a: readonly boolean[], b: readonly boolean[]): number {
  const both = a.filter((set, i) => set && b[i]).length;
  const either = a.filter((set, i) => set || b[i]).length;
  return both / either;
}
