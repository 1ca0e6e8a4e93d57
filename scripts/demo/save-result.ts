import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ImageResult, type Track, type VideoResult } from "segmentation-client/node";
import { messageOf } from "../shared/error-parts.ts";
import { formatTable } from "../shared/table.ts";
import { filmStrip } from "./clip-frames.ts";

/** What the demo prints about a saved result. */
export interface Saved {
  readonly lines: readonly string[];
  readonly files: readonly SavedFile[];
}

export interface SavedFile {
  readonly label: string;
  readonly path: string;
}

type Cells = readonly (string | number)[];

/** A text as part of a file name. */
export const fileName = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, 40) || "mask";

/** Saves a photograph's masks and preview, or a clip's masks.json, preview and film strip, to a folder. */
export async function saveResult(
  result: ImageResult | VideoResult,
  folder: string,
  signal: AbortSignal,
): Promise<Saved> {
  return result instanceof ImageResult
    ? await savePhotoResult(result, folder)
    : await saveClipResult(result, folder, signal);
}

async function savePhotoResult(result: ImageResult, folder: string): Promise<Saved> {
  const rows: Cells[] = [];
  for (const { index, prompt, region, label, confidence, area, png } of result.masks) {
    const of = prompt ?? label ?? `region ${region}`;
    const name = `mask-${index}-${fileName(of)}.png`;
    await writeFile(join(folder, name), png.stream());
    rows.push([name, of, confidence.toFixed(2), area]);
  }
  return {
    lines: foundLines(["mask", "of", "confidence", "pixels"], rows),
    files: [{ label: "Masks", path: folder }, ...(await savePreview(result, join(folder, "preview.png")))],
  };
}

async function saveClipResult(result: VideoResult, folder: string, signal: AbortSignal): Promise<Saved> {
  const { framesProcessed, framesWithMasks, totalMasks } = result.counts;
  const masks = join(folder, "masks.json");
  await writeFile(masks, JSON.stringify(result.masksJson));
  const [preview] = await savePreview(result, join(folder, "preview.mp4"));
  const lines = [
    ...foundLines(
      ["object", "prompt", "first seen", "last seen", "frames", "best score"],
      result.tracks.map(trackCells),
    ),
    "",
    `${framesProcessed} frames processed, ${framesWithMasks} with masks, ${totalMasks} masks in all.`,
  ];
  const files: SavedFile[] = [{ label: "Masks", path: masks }];
  if (preview === undefined) return { lines, files };
  files.push(preview);
  const strip = join(folder, "strip.png");
  try {
    await writeFile(strip, await filmStrip(preview.path, signal));
    files.push({ label: "Strip", path: strip });
  } catch (error) {
    signal.throwIfAborted();
    lines.push(`The demo could not make a film strip of the preview: ${messageOf(error)}`);
  }
  return { lines, files };
}

/** Saves the preview, if the job has one. */
async function savePreview(result: ImageResult | VideoResult, path: string): Promise<SavedFile[]> {
  if (!result.files.keys.some((key) => key.startsWith("preview/"))) return [];
  const preview =
    result instanceof ImageResult ? await result.pictures[0]?.preview() : await result.preview();
  if (preview === undefined) return [];
  await writeFile(path, preview.stream());
  return [{ label: "Preview", path }];
}

const seconds = (time = 0): string => `${time.toFixed(1)} s`;

/** A row of the table of tracked objects. */
export function trackCells({ objectId, prompt, label, sightings }: Track): Cells {
  return [
    objectId,
    prompt ?? label ?? "region",
    seconds(sightings[0]?.timeSec),
    seconds(sightings.at(-1)?.timeSec),
    sightings.length,
    Math.max(...sightings.map(({ confidence }) => confidence)).toFixed(2),
  ];
}

/** A table of what was found, or a sentence if nothing was. */
function foundLines(heading: readonly string[], rows: readonly Cells[]): string[] {
  if (rows.length === 0)
    return ["Nothing was found: no object matched the prompts well enough. Try other words."];
  return formatTable(heading, rows);
}

/** The files' labels and paths, one per line. */
export function fileLines(files: readonly SavedFile[]): string[] {
  const width = Math.max(...files.map(({ label }) => label.length));
  return files.map(({ label, path }) => `${`${label}:`.padEnd(width + 1)} ${path}`);
}
