import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve, dirname, relative, sep } from "node:path";
import { unzipSync } from "fflate";
import type { AcceptedJob } from "../../src/contract/job.ts";
import type { ApiClient } from "../client/api-client.ts";
import { Failure } from "../shared/command-line.ts";
import type { DemoRequest } from "./arguments.ts";
import { expectedFrames } from "./clip-frames.ts";
import { JobProgress, progressScale } from "./job-progress.ts";
import type { Media } from "./media.ts";
import { fileLines, fileName, type SavedFile, saveResult } from "./save-result.ts";

function createJob(
  client: ApiClient,
  media: Media,
  { prompts, frames, formats, regions }: DemoRequest,
  taskId: string,
): Promise<AcceptedJob> {
  const job = {
    tasks: [taskId],
    generatePreview: true,
    ...(prompts.length > 0 && { prompts: [...prompts] }),
    ...(regions.length > 0 && { regions: regions.map((region) => ({ taskId, ...region })) }),
  };
  if (media.kind === "photo") return client.createImageJob({ ...job, formats: [...formats] });
  const ofClip = formats.filter((format) => format === "coco");
  return client.createVideoJob({ ...job, ...frames, formats: ofClip });
}

async function awaitJob(
  client: ApiClient,
  media: Media,
  request: DemoRequest,
  jobId: string,
  signal: AbortSignal,
): Promise<void> {
  const isClip = media.kind === "clip";
  const scale = isClip ? progressScale(await expectedFrames(media.path, request.frames, signal)) : null;
  const shown = new JobProgress(process.stdout, scale);
  try {
    const job = await client.waitForJob(jobId, {
      onAnswer: (answer, progress) => shown.update(answer, progress),
    });
    const notes = job.tasks.flatMap((task) => task.error ?? []);
    if (job.status === "failed")
      throw new Failure(`The job failed: ${notes.join("; ") || job.error || "no reason given"}`);
    for (const note of notes) console.log(`  Note: ${note}`);
  } finally {
    shown.end();
  }
}

async function makeFolder(out: string, name: string): Promise<string> {
  const time = new Date()
    .toISOString()
    .replaceAll(/[-:]|\..*/g, "")
    .replace("T", "-");
  const folder = resolve(out, `${fileName(name)}-${time}`);
  await mkdir(folder, { recursive: true });
  return folder;
}

async function saveArchive(client: ApiClient, jobId: string, folder: string): Promise<SavedFile> {
  const archive = await client.waitForArchive(jobId);
  const zip = await client.download(archive.downloadUrl);
  const path = join(folder, "archive.zip");
  await writeFile(path, zip);
  const names = await unpack(zip, join(folder, "archive"));
  console.log(`Archive: ${zip.length} bytes, ${names.length} files.`);
  return { label: "Archive", path };
}

/** What the job looks for, in words: `"cat", 2 regions`. */
const wanted = ({ prompts, regions }: DemoRequest): string =>
  [
    ...prompts.map((prompt) => `"${prompt}"`),
    ...(regions.length > 0 ? [regions.length === 1 ? "1 region" : `${regions.length} regions`] : []),
  ].join(", ");

/** Takes one photograph or clip through the public API: upload, job, events, masks, preview, archive. */
export async function walk(
  client: ApiClient,
  media: Media,
  request: DemoRequest,
  signal: AbortSignal,
): Promise<void> {
  console.log(`\nUploading ${media.name} (${media.contentType}, ${media.size})…`);
  const taskId = await client.upload(media.file, media.contentType);
  const { jobId } = await createJob(client, media, request, taskId);
  console.log(`Job ${jobId}: looking for ${wanted(request)}`);
  await awaitJob(client, media, request, jobId, signal);

  const folder = await makeFolder(request.out, media.name);
  const saved = await saveResult(await client.result(jobId), folder, signal);
  const archive = await saveArchive(client, jobId, folder);
  console.log(["", ...saved.lines, "", ...fileLines([...saved.files, archive])].join("\n"));
}

/** Unpacks a zip into a folder and returns the files' names. @throws Error if an entry points outside the folder */
export async function unpack(zip: Uint8Array, folder: string): Promise<string[]> {
  const entries = Object.entries(unzipSync(zip)).filter(([name]) => !name.endsWith("/"));
  for (const [name, bytes] of entries) {
    const path = resolve(folder, name);
    if (relative(folder, path).split(sep)[0] === "..")
      throw new Error(`The archive's entry ${name} points outside the folder.`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(join(path), bytes);
  }
  return entries.map(([name]) => name);
}
