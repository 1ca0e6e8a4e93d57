import sharp from "sharp";
import type { ImageJobResult } from "../../src/contract/result.ts";
import type { ApiClient } from "../client/api-client.ts";
import { readPngText } from "./png-text.ts";

export interface DemoMask {
  readonly png: Uint8Array;
  /** The prompt, or the region: `region 0`. */
  readonly name: string;
  readonly confidence: number;
  /** The number of white pixels, which belong to the object. */
  readonly pixels: number;
}

async function countWhite(png: Uint8Array): Promise<number> {
  const grey = await sharp(png).greyscale().raw().toBuffer();
  let count = 0;
  for (const value of grey) if (value > 127) count += 1;
  return count;
}

function nameOf(png: Uint8Array): string {
  const region = readPngText(png, "region");
  return region === null ? (readPngText(png, "prompt") ?? "?") : `region ${region}`;
}

/** Downloads the masks of the result's only picture, in the order of the manifest. */
export async function downloadMasks(client: ApiClient, result: ImageJobResult): Promise<DemoMask[]> {
  const found = result.manifest.items.flatMap((item) => item.masks);
  return await Promise.all(
    found.map(async ({ url, confidence }) => {
      const png = await client.download(url);
      return { png, confidence, name: nameOf(png), pixels: await countWhite(png) };
    }),
  );
}
