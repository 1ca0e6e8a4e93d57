import { unzipSync } from "fflate";
import { counted } from "../../../client/src/cli/progress/words.ts";
import { mapAhead } from "../../../src/shared/pool.ts";
import { LeftOut, type Row, Wrong } from "./row.ts";
import { watchStream } from "./stream.ts";
import { picture } from "./storage-rows.ts";
import { request, seconds, type World } from "./world.ts";

const PROMPT = "cat";
const UPLOADS_AT_A_TIME = 6;

/** Finishes a creation even after Ctrl-C: otherwise its id, and so what to delete, would be unknown. */
async function upload({ client, made, signal }: World): Promise<string> {
  signal.throwIfAborted();
  const taskId = await client.upload(new Blob([await picture()], { type: "image/png" }));
  made.uploads.add(taskId);
  return taskId;
}

async function createJob({ client, made, signal }: World, tasks: readonly string[]): Promise<string> {
  signal.throwIfAborted();
  made.spend(tasks.length);
  const { jobId } = await client.api.createJob({ type: "image", tasks: [...tasks], prompts: [PROMPT] });
  made.jobs.add(jobId);
  return jobId;
}

const isEnded = (status: string): boolean => status === "success" || status === "failed";

const NO_JOB = "there is no job of many pictures";

/** The large job, once it has been created. */
function largeJob({ learned: { jobId } }: World): string {
  if (jobId === undefined) throw new LeftOut(NO_JOB);
  return jobId;
}

const INFERENCE =
  "see the tasks of the job: npm run admin -- show-job; task_failed in the log says why. STORAGE_ORIGINS and CALLBACK_ORIGINS of the inference service have to be the origins of S3_ENDPOINT and PUBLIC_URL";
const PROXY =
  "something between here and the Worker ends quiet connections: a proxy, a firewall, or a timeout of the zone";

/** Jobs from their upload to their files. */
export const JOB_ROWS: readonly Row[] = [
  {
    name: "a job of one picture",
    mend: INFERENCE,
    run: async (world) => {
      const begun = Date.now();
      const jobId = await createJob(world, [await upload(world)]);
      const job = await world.client.waitForJob(jobId, { signal: patience(world) });
      if (job.status !== "success") throw new Wrong(`it failed: ${job.tasks[0]?.error ?? job.error}`);
      const result = await world.client.result(jobId, { signal: world.signal });
      if (!("pictures" in result)) throw new Wrong("its result is not that of a picture");
      return `${counted(result.masks.length, "mask")} of "${PROMPT}", ${seconds(Date.now() - begun)} from the upload on`;
    },
  },
  {
    name: "a job of many pictures",
    mend: INFERENCE,
    run: async (world) => {
      const { form } = world;
      const begun = Date.now();
      const tasks: string[] = [];
      const pictures = Array.from({ length: form.pictures });
      for await (const taskId of mapAhead(pictures, UPLOADS_AT_A_TIME, () => upload(world)))
        tasks.push(taskId);
      const jobId = await createJob(world, tasks);
      // From the job's start, in parallel with the other rows.
      const stream = watchStream(world, jobId, world.signal);
      stream.catch(() => undefined);
      Object.assign(world.learned, { jobId, tasks, stream });
      return `${form.pictures} pictures uploaded and accepted in ${seconds(Date.now() - begun)}`;
    },
  },
  {
    name: "queue's delay",
    mend: "look at the backlog of the queues in Cloudflare's dashboard, and that each has this Worker as consumer; inference_busy in the log says that the inference service has no room",
    run: async (world) => {
      const jobId = largeJob(world);
      const begun = Date.now();
      const limit = AbortSignal.any([world.signal, AbortSignal.timeout(world.form.queueMs)]);
      try {
        for await (const { job } of world.client.watchJob(jobId, { signal: limit })) {
          if (job.tasks.every(({ status }) => status === "queued")) continue;
          return `the first task was under way after ${seconds(Date.now() - begun)}`;
        }
      } catch (error) {
        world.signal.throwIfAborted();
        if (!limit.aborted) throw error;
      }
      throw new Wrong(`no task was under way ${seconds(world.form.queueMs)} after the job was accepted`);
    },
  },
  {
    name: "a wait",
    mend: PROXY,
    run: async (world) => {
      const jobId = await createJob(world, world.learned.tasks?.slice(0, 1) ?? [await upload(world)]);
      const { waitSeconds } = world.form;
      const begun = Date.now();
      const response = await request(world, "GET", `/v1/jobs/${jobId}`, {
        headers: { prefer: `wait=${waitSeconds}` },
      });
      const job: unknown = response.ok ? await response.json() : null;
      const status = typeof job === "object" && job !== null && "status" in job ? String(job.status) : "";
      const held = Date.now() - begun;
      if (!response.ok) throw new Wrong(`a request that waits got ${response.status} after ${seconds(held)}`);
      if (!response.headers.has("preference-applied"))
        throw new Wrong("the service does not see Prefer: wait, or its answer loses Preference-Applied");
      if (!isEnded(status) && held < waitSeconds * 900)
        throw new Wrong(
          `a wait of ${waitSeconds} s was answered after ${seconds(held)}, while the job was ${status}`,
        );
      return `held for ${seconds(held)} of ${waitSeconds}, then the job's status was ${status}`;
    },
  },
  {
    name: "a stream",
    mend: PROXY,
    run: async (world) => {
      const { form, learned } = world;
      if (learned.stream === undefined) throw new LeftOut(NO_JOB);
      const { ended, livedMs, silentMs } = await learned.stream;
      const lived = `${seconds(livedMs)}, silent for ${seconds(silentMs)} at most`;
      if (!ended) throw new Wrong(`it was cut off after ${lived}`);
      if (livedMs >= form.streamMs) return `it lived until the job's end: ${lived}`;
      return `it lived until the job's end: ${lived}. The job ended too soon to try ${seconds(form.streamMs)}`;
    },
  },
  {
    name: "the results of many pictures",
    mend: INFERENCE,
    run: async (world) => {
      const jobId = largeJob(world);
      const job = await world.client.waitForJob(jobId, { signal: patience(world) });
      const failed = job.tasks.filter(({ status }) => status !== "success");
      if (failed.length > 0)
        throw new Wrong(
          `${failed.length} of ${job.totalItems} tasks failed: ${failed[0]?.error ?? job.error}`,
        );
      return `${job.totalItems} pictures`;
    },
  },
  {
    name: "a zip",
    mend: "see archive_failed in the log, and that the queue for archives has this Worker as consumer",
    run: async (world) => {
      const jobId = largeJob(world);
      const begun = Date.now();
      const { downloadUrl } = await world.client.archive(jobId, { signal: patience(world) });
      const took = Date.now() - begun;
      const zip = await (await world.client.download(downloadUrl, { signal: world.signal })).arrayBuffer();
      const { assets } = await world.client.api.retrieveJobResult({ jobId }, { signal: world.signal });
      let files: ReturnType<typeof unzipSync>;
      try {
        files = unzipSync(new Uint8Array(zip));
      } catch {
        throw new Wrong(`a zip of ${zip.byteLength} bytes arrived, which cannot be read`);
      }
      const absent = assets.filter(({ key }) => !(key in files));
      if (absent.length > 0)
        throw new Wrong(`it lacks ${absent.length} of ${assets.length} files: ${absent[0]?.key}`);
      // A second message takes over after 20,000 files or four minutes: more than 200 units give.
      return `${Object.keys(files).length} files, ${zip.byteLength} bytes, after ${seconds(took)}, by one message: too few files for a second`;
    },
  },
  {
    name: "cancel",
    mend: "see the job: npm run admin -- show-job",
    run: async (world) => {
      const { api } = world.client;
      const count = world.form.cancelled;
      const tasks = world.learned.tasks?.slice(0, count) ?? [];
      const jobId = await createJob(world, tasks.length === count ? tasks : [await upload(world)]);
      const { status } = await api.cancelJob({ jobId }, { signal: world.signal });
      const after = await api.retrieveJob({ jobId }, { signal: world.signal });
      if (!isEnded(status) || !isEnded(after.status))
        throw new Wrong(`a job that was canceled is ${isEnded(status) ? after.status : status}`);
      const canceled = after.tasks.filter(({ error }) => error?.startsWith("canceled"));
      return `${canceled.length} of ${after.totalItems} tasks had not ended, and cost nothing`;
    },
  },
];

/** A time limit for work that has to end by itself. */
const patience = ({ signal, form }: World): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(form.patienceMs)]);
