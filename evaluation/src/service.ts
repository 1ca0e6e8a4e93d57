import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ImageResult } from "segmentation-client/node";
import { type ApiClient, ApiError, createClient } from "../../scripts/shared/api-client.ts";
import { Failure } from "../../scripts/shared/command-line.ts";
import { startStack } from "../../scripts/local/stack/start-stack.ts";
import { maskOfPixels } from "./measures/mask.ts";
import type { Answer, Question, Subject } from "./subject.ts";

/** The service's default limit of prompts per job (`MAX_PROMPTS`); more prompts take several jobs. */
const PROMPTS_PER_JOB = 32;
const OUTSIDE_VOCABULARY = "prompt_outside_vocabulary";

/**
 * Starts the whole service on this machine with a model folder, calls `use` with a client of its API, and cleans up.
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

/** A service that is already running, through its API. */
export function remoteService(url: string, apiKey: string, signal: AbortSignal): Subject {
  return serviceSubject(
    createClient({ baseUrl: url, apiKey, signal }),
    `the service at ${new URL(url).origin}`,
  );
}

function serviceSubject(client: ApiClient, name: string): Subject {
  return {
    name,
    timed: "from creating the jobs for an uploaded picture until the last of them is seen to have ended",
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
  const taskId = await client.upload(question.path);
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
  /** Prompts that the service could not serve, and masks left out. */
  readonly notices: readonly string[];
}

/** Runs the job for one part of the prompts. @throws Failure if it failed, unless the model knows none of the prompts */
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
  const { path, width, height } = question;
  const result = await client.result(job.jobId);
  if (!(result instanceof ImageResult)) throw new TypeError(`The job for ${path} is not an image job.`);
  const part = question.prompts.slice(job.first, job.first + PROMPTS_PER_JOB);
  return await Promise.all(
    result.masks.map(async (mask) => {
      const prompt = part.indexOf(mask.prompt ?? "");
      if (prompt < 0) throw new Failure(`A mask for ${path} does not say which prompt it is for.`);
      if (mask.width !== width || mask.height !== height)
        throw new Failure(
          `${path} has ${mask.width} × ${mask.height} pixels, but its labels are for ${width} × ${height}.`,
        );
      const { data } = await mask.bitmap();
      return {
        prompt: job.first + prompt,
        score: mask.confidence,
        mask: maskOfPixels(data, width, height),
      };
    }),
  );
}
