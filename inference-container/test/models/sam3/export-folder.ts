/** Folders with the seeded export of SAM 3, with its decoder of regions. */
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeExport } from "../../../../scripts/models/describe.ts";
import { fixtures } from "../../reference/figures.ts";
import { NOTHING_GOLDEN } from "../owlvit/export-folder.ts";

const GOLDEN = new URL("../../../models/builtin/golden.jpg", import.meta.url);
const WORDS = ["vision-encoder.onnx", "text-encoder.onnx", "geo-encoder-mask-decoder.onnx", "tokenizer.json"];
/** The file of the decoder of regions. */
export const REGION_DECODER = "region-decoder.onnx";

/** The seeded model is narrower than SAM 3: 32 channels in place of 256, and less in the finer levels. */
export function narrowed(manifest: unknown): unknown {
  const narrower: readonly (readonly [RegExp, string])[] = [
    [/,32,288,288\b/g, ",4,288,288"],
    [/,64,144,144\b/g, ",8,144,144"],
    [/\b256\b/g, "32"],
  ];
  const json = JSON.stringify(manifest);
  return JSON.parse(narrower.reduce((text, [wide, narrow]) => text.replaceAll(wide, narrow), json));
}

/**
 * Fills a folder, and has `describe` write its manifest.
 * @param change changes the manifest
 * @param replaced other files than the seeded export's, as narrow
 * @returns what `describe` recognized
 */
export async function sam3Folder(
  folder: string,
  change: (manifest: Record<string, unknown>) => object = (manifest) => manifest,
  replaced: Readonly<Record<string, Uint8Array | string>> = {},
): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const name of [...WORDS, REGION_DECODER])
    await writeFile(join(folder, name), replaced[name] ?? (await readFile(join(fixtures("sam3"), name))));
  await copyFile(GOLDEN, join(folder, "golden.jpg"));
  await writeFile(join(folder, "LICENSE"), "A licence.");
  const { manifest, recognised } = await describeExport(
    folder,
    { force: false },
    new AbortController().signal,
  );
  const { files, ...described } = JSON.parse(await readFile(manifest, "utf8"));
  const narrow = Object(narrowed(described));
  await writeFile(manifest, JSON.stringify(change({ ...narrow, files, golden: NOTHING_GOLDEN })));
  return recognised;
}
