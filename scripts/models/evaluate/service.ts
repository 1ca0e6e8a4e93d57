import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import sharp from "sharp";
import { type ApiClient, ApiError, createClient } from "../../client/api-client.ts";
import { readPhoto } from "../../demo/photo.ts";
import { readPngText } from "../../demo/png-text.ts";
import { Failure } from "../../shared/command-line.ts";
import { startStack } from "../../stack/start-stack.ts";
import { type Mask, maskOfPixels } from "./measures/mask.ts";
import type { Answer, Question, Subject } from "./subject.ts";

/** The service's default limit of prompts per job (`MAX_PROMPTS`); a picture is asked about in as many jobs as it takes. */
const PROMPTS_PER_JOB = 32;
const OUTSIDE_VOCABULARY = "prompt_outside_vocabulary";

/**
 * Starts the whole service on this machine with a model folder, lends it to `use` as a client of its API sees it, and
 * leaves nothing of it behind.
 * @throws Failure if a part of the service cannot start, or ends
 */
export async function withLocalService<T>(
  folder: string,
  signal: AbortSignal,
  use: (subject: Subject) => Promise<T>,
): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), "evaluate-"));
  try {
    const stack = await startStack({
      port: 0,
      stateDir: join(scratch, "state"),
      modelFolder: resolve(folder),
      onProgress: (sentence) => console.error(sentence),
      signal,
    });
    try {
      const crash = stack.crashed.then((failure) => Promise.reject(failure));
      const { baseUrl, apiKey } = stack;
      const client = createClient({ baseUrl, apiKey, signal });
      return await Promise.race([use(serviceSubject(client, `${folder} behind a local service`)), crash]);
    } finally {
      await stack.stop();
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A running service as a client of its API sees it. */
export function remoteService(url: string, apiKey: string, signal: AbortSignal): Subject {
  return serviceSubject(
    createClient({ baseUrl: url, apiKey, signal }),
    `the service at ${new URL(url).origin}`,
  );
}

function serviceSubject(client: ApiClient, name: string): Subject {
  return {
    name,
    timed: "from the creation of the jobs for one uploaded picture until the last one's end was seen",
    ask: async (question) => {
      try {
        return await askService(client, question);
      } catch (error) {
        if (error instanceof ApiError && error.status === undefined)
          throw new Failure(`${name} cannot be reached: ${error.message}`);
        if (error instanceof ApiError) throw new Failure(`${name} refused: ${error.message}`);
        throw error;
      }
    },
  };
}

async function askService(client: ApiClient, question: Question): Promise<Answer> {
  const { file, contentType } = await readPhoto(question.path);
  const taskId = await client.upload(file, contentType);
  const starts = Array.from(
    { length: Math.ceil(question.prompts.length / PROMPTS_PER_JOB) },
    (_, job) => job * PROMPTS_PER_JOB,
  );
  const started = performance.now();
  const jobs = await Promise.all(starts.map((first) => runJob(client, question, taskId, first)));
  const ms = performance.now() - started;
  const found = await Promise.all(jobs.map((job) => fetchFinds(client, question, job)));
  return { found: found.flat(), drawn: null, notices: jobs.flatMap(({ notices }) => notices), ms };
}

interface EndedJob {
  readonly jobId: string;
  readonly isSuccess: boolean;
  /** The index of its first prompt. */
  readonly first: number;
  /** What the service says of prompts that it could not serve, and of masks left out. */
  readonly notices: readonly string[];
}

/** Runs the job for one part of the prompts. @throws Failure if it failed, unless the model knows none of them */
async function runJob(
  client: ApiClient,
  { path, prompts, threshold }: Question,
  taskId: string,
  first: number,
): Promise<EndedJob> {
  const part = prompts.slice(first, first + PROMPTS_PER_JOB);
  const { jobId } = await client.createImageJob({ tasks: [taskId], prompts: part, threshold });
  const { status, error, tasks } = await client.waitForJob(jobId);
  const notices = tasks.flatMap((task) => task.error ?? []);
  const isSuccess = status === "success";
  if (!isSuccess && !notices.some((notice) => notice.startsWith(OUTSIDE_VOCABULARY)))
    throw new Failure(`The job for ${path} failed: ${notices.join("; ") || error || "no reason given"}`);
  return { jobId, isSuccess, first, notices };
}

async function fetchFinds(client: ApiClient, question: Question, job: EndedJob): Promise<Answer["found"]> {
  if (!job.isSuccess) return [];
  const { manifest } = await client.retrieveJobResult(job.jobId);
  const part = question.prompts.slice(job.first, job.first + PROMPTS_PER_JOB);
  const masks = manifest.items.flatMap((item) => item.masks);
  return await Promise.all(
    masks.map(async ({ url, confidence: score }) => {
      const png = await client.download(url);
      const prompt = part.indexOf(readPngText(png, "prompt") ?? "");
      if (prompt < 0) throw new Failure(`A mask for ${question.path} does not say which prompt it is for.`);
      return { prompt: job.first + prompt, score, mask: await readMask(png, question) };
    }),
  );
}

async function readMask(png: Uint8Array, { path, width, height }: Question): Promise<Mask> {
  const { data, info } = await sharp(png)
    .extractChannel(0)
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true });
  if (info.width !== width || info.height !== height)
    throw new Failure(
      `${path} has ${info.width} × ${info.height} pixels, but its labels are for ${width} × ${height}.`,
    );
  return maskOfPixels(data, width, height);
}
