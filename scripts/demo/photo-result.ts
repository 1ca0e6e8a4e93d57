import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ApiClient } from "../client/api-client.ts";
import { downloadMasks } from "./masks.ts";
import { fileName, foundLines, type Saved } from "./saved.ts";

/** Saves a photograph's masks and preview to a folder. */
export async function savePhotoResult(client: ApiClient, jobId: string, folder: string): Promise<Saved> {
  const result = await client.retrieveJobResult(jobId);
  const rows = [];
  for (const [index, mask] of (await downloadMasks(client, result)).entries()) {
    const name = `mask-${index}-${fileName(mask.name)}.png`;
    await writeFile(join(folder, name), mask.png);
    rows.push([name, mask.name, mask.confidence.toFixed(2), mask.pixels]);
  }
  const files = [{ label: "Masks", path: folder }];
  const previewUrl = result.manifest.items[0]?.previewUrl;
  if (previewUrl !== undefined) {
    const path = join(folder, "preview.png");
    await client.downloadTo(path, previewUrl);
    files.push({ label: "Preview", path });
  }
  return { lines: foundLines(["mask", "of", "confidence", "pixels"], rows), files };
}
