import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { JobStatus } from "../../src/contract/job.ts";
import type { ApiClient } from "../client/api-client.ts";
import { Failure } from "../shared/command-line.ts";
import type { DemoRequest } from "./arguments.ts";
import { type DemoMask, downloadMasks } from "./masks.ts";
import type { Photo } from "./photo.ts";
import { formatTable } from "./table.ts";
import { unpack } from "./unpack.ts";

/** Tells the job's states as they change, each with the seconds since the start. */
function statusTeller(): (job: JobStatus) => void {
  const startedAt = performance.now();
  let last = "";
  return (job) => {
    if (job.status === last) return;
    last = job.status;
    console.log(`  ${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(5)} s  ${job.status}`);
  };
}

const fileName = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, 40) || "mask";

async function saveMasks(masks: readonly DemoMask[], folder: string): Promise<(string | number)[][]> {
  const rows = [];
  for (const [index, mask] of masks.entries()) {
    const name = `mask-${index}-${fileName(mask.prompt)}.png`;
    await writeFile(join(folder, name), mask.png);
    rows.push([name, mask.prompt, mask.confidence.toFixed(2), mask.pixels]);
  }
  return rows;
}

async function saveArchive(client: ApiClient, jobId: string, folder: string): Promise<void> {
  const archive = await client.waitForArchive(jobId);
  if (archive.status !== "ready" || archive.downloadUrl === null) {
    throw new Failure(`The archive could not be built: ${archive.error ?? "no reason given"}`);
  }
  const zip = await client.download(archive.downloadUrl);
  await writeFile(join(folder, "archive.zip"), zip);
  const names = await unpack(zip, join(folder, "archive"));
  console.log(`Archive: ${zip.length} bytes, ${names.length} files.`);
}

/** One photograph through the public API: upload, job, polling, masks, preview, archive. */
export async function walk(client: ApiClient, photo: Photo, request: DemoRequest): Promise<void> {
  const prompts = [...request.prompts];
  console.log(`\nUploading ${photo.name} (${photo.contentType}, ${photo.size})…`);
  const taskId = await client.upload(photo.bytes, photo.contentType);
  const { jobId } = await client.createImageJob({ prompts, tasks: [taskId], generatePreview: true });
  console.log(`Job ${jobId}: looking for ${prompts.map((prompt) => `"${prompt}"`).join(", ")}`);
  const job = await client.waitForJob(jobId, statusTeller());
  const notes = job.tasks.flatMap((task) => task.error ?? []);
  if (job.status === "failed")
    throw new Failure(`The job failed: ${notes.join("; ") || job.error || "no reason given"}`);
  for (const note of notes) console.log(`  Note: ${note}`);

  const time = new Date()
    .toISOString()
    .replaceAll(/[-:]|\..*/g, "")
    .replace("T", "-");
  const folder = resolve(request.out, `${fileName(photo.name)}-${time}`);
  await mkdir(folder, { recursive: true });
  const result = await client.retrieveJobResult(jobId);
  const masks = await downloadMasks(client, result);
  const rows = await saveMasks(masks, folder);
  const previewUrl = result.manifest.items[0]?.previewUrl;
  if (previewUrl !== undefined)
    await writeFile(join(folder, "preview.png"), await client.download(previewUrl));
  await saveArchive(client, jobId, folder);

  if (rows.length === 0) console.log("\nNothing was found: no object matched the prompts well enough.");
  else console.log(`\n${formatTable(["mask", "prompt", "confidence", "pixels"], rows).join("\n")}`);
  console.log(`\nMasks and archive: ${folder}`);
  if (previewUrl !== undefined) console.log(`Preview:           ${join(folder, "preview.png")}`);
}
