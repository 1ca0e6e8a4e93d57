import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { AcceptedJob } from "../../src/contract/job.ts";
import type { ApiClient } from "../client/api-client.ts";
import { Failure } from "../shared/command-line.ts";
import type { DemoRequest } from "./arguments.ts";
import { saveClipResult } from "./clip-result.ts";
import { expectedFrames } from "./expected-frames.ts";
import { JobTeller, progressScale } from "./job-teller.ts";
import type { Media } from "./media.ts";
import { savePhotoResult } from "./photo-result.ts";
import { fileLines, fileName, type SavedFile } from "./saved.ts";
import { unpack } from "./unpack.ts";

function createJob(
  client: ApiClient,
  media: Media,
  { prompts, frames, formats, regions }: DemoRequest,
  taskId: string,
): Promise<AcceptedJob> {
  const job = { tasks: [taskId], generatePreview: true };
  if (media.kind === "clip") {
    const ofClip = formats.filter((format) => format === "coco");
    return client.createVideoJob({ ...job, prompts: [...prompts], ...frames, formats: ofClip });
  }
  return client.createImageJob({
    ...job,
    ...(prompts.length > 0 && { prompts: [...prompts] }),
    ...(regions.length > 0 && { regions: regions.map((region) => ({ taskId, ...region })) }),
    formats: [...formats],
  });
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
  const teller = new JobTeller(process.stdout, scale);
  try {
    const job = await client.waitForJob(jobId, {
      onAnswer: (answer, progress) => teller.tell(answer, progress),
    });
    const notes = job.tasks.flatMap((task) => task.error ?? []);
    if (job.status === "failed")
      throw new Failure(`The job failed: ${notes.join("; ") || job.error || "no reason given"}`);
    for (const note of notes) console.log(`  Note: ${note}`);
  } finally {
    teller.end();
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

/** Takes one photograph or clip through the public API: upload, job, polling, masks, preview, archive. */
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
  const saved =
    media.kind === "photo"
      ? await savePhotoResult(client, jobId, folder)
      : await saveClipResult(client, jobId, folder, signal);
  const archive = await saveArchive(client, jobId, folder);
  console.log(["", ...saved.lines, "", ...fileLines([...saved.files, archive])].join("\n"));
}
