import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ApiClient } from "../client/api-client.ts";
import { Failure } from "../shared/command-line.ts";
import { messageOf } from "../shared/error-parts.ts";
import { foundLines, type Saved, type SavedFile } from "./saved.ts";
import { filmStrip } from "./strip.ts";
import { MasksFile, tracksOf } from "./tracks.ts";

const HEADING = ["object", "prompt", "first seen", "last seen", "frames", "best score"];

const seconds = (time: number): string => `${time.toFixed(1)} s`;

async function trackRows(masksPath: string, prompts: readonly string[]): Promise<(string | number)[][]> {
  const masks = MasksFile.parse(JSON.parse(await readFile(masksPath, "utf8")));
  return tracksOf(masks).map(({ objectId, promptIndex, firstSeen, lastSeen, frames, bestScore }) => [
    objectId,
    prompts[promptIndex] ?? "?",
    seconds(firstSeen),
    seconds(lastSeen),
    frames,
    bestScore.toFixed(2),
  ]);
}

/** Saves a clip's masks.json, its preview and a strip of the preview's frames to a folder. */
export async function saveClipResult(
  client: ApiClient,
  jobId: string,
  folder: string,
  signal: AbortSignal,
): Promise<Saved> {
  const { manifest } = await client.retrieveVideoJobResult(jobId);
  const [item] = manifest.items;
  if (item === undefined) throw new Failure("The job succeeded, but its manifest lists no clip.");
  const masksPath = join(folder, "masks.json");
  await client.downloadTo(masksPath, item.masks);
  const { framesProcessed, framesWithMasks, totalMasks } = item.counts;
  const lines = [
    ...foundLines(HEADING, await trackRows(masksPath, manifest.prompts)),
    "",
    `${framesProcessed} frames processed, ${framesWithMasks} with masks, ${totalMasks} masks in all.`,
  ];
  const files: SavedFile[] = [{ label: "Masks", path: masksPath }];
  if (item.previewUrl !== undefined) {
    const preview = join(folder, "preview.mp4");
    await client.downloadTo(preview, item.previewUrl);
    files.push({ label: "Preview", path: preview });
    const strip = join(folder, "strip.png");
    try {
      await writeFile(strip, await filmStrip(preview, signal));
      files.push({ label: "Strip", path: strip });
    } catch (error) {
      signal.throwIfAborted();
      lines.push(`The demo could not make a strip of the preview: ${messageOf(error)}`);
    }
  }
  return { lines, files };
}
