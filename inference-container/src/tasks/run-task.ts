import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type Completion,
  filesByKind,
  ImageFiles,
  type PriorMask,
  type TaskOutput,
  VideoFiles,
} from "@segmentation/protocol";
import type { Logger } from "pino";
import { messageOf } from "../errors.ts";
import type { Engines } from "../supervisor/engines.ts";
import { type EngineResult, EngineTask, type ImageTask } from "../messages.ts";
import {
  asTaskFailure,
  ModelUnavailable,
  TaskDropped,
  taskFailure,
  TaskFailure,
  TaskReturned,
} from "../failures.ts";
import type { Metrics, Stage, StageTimes } from "../metrics.ts";
import { CallbackRefused } from "./callback.ts";
import { fetchInput } from "./input.ts";
import { Patience } from "../http-client.ts";
import type { Task } from "./task.ts";
import { checkGrant, putOutputs } from "./outputs.ts";

export interface RunTaskParts {
  readonly engines: Engines;
  /** A private folder for the files of running tasks. */
  readonly folder: string;
  readonly storageOrigins: ReadonlySet<string>;
  readonly patienceMs: number;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Log fields of a task: no URL and no token. */
interface TaskLog {
  readonly ms: StageTimes;
  bytes?: number;
  /** The device of its last run. */
  device?: string;
  result?: EngineResult;
}

/** Takes a task from fetch to commit. Never rejects: every end becomes a report, a log line and a count. */
export async function runTask(task: Task, parts: RunTaskParts): Promise<void> {
  const noted: TaskLog = { ms: { queue: performance.now() - task.acceptedAt } };
  let completion: Completion | undefined;
  let folder: string | undefined;
  try {
    task.signal.throwIfAborted();
    folder = await mkdtemp(join(parts.folder, "task-"));
    const result = await produce(task, folder, parts, noted);
    completion = success(result);
  } catch (error) {
    completion = failure(error, task, parts.log);
  }
  const end = completion === undefined ? "dropped" : await commit(task, completion, noted, parts.log);
  task.lease.end();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  logEnd(task, end, noted, parts);
}

async function produce(
  task: Task,
  folder: string,
  parts: RunTaskParts,
  noted: TaskLog,
): Promise<EngineResult> {
  const { request, signal } = task;
  const inputPath = join(folder, "input");
  const stored = { url: request.inputUrl, etag: request.inputEtag, limit: request.limits.inputBytes };
  const input = await timed(noted, "fetch", () => fetchInput(stored, inputPath, signal));
  noted.bytes = input.size;
  const priors =
    request.type === "image" && request.priorMasks !== undefined
      ? await timed(noted, "fetch", () => fetchPriors(request.priorMasks ?? [], folder, signal))
      : undefined;
  const sent = performance.now();
  // Leaves the request's URLs and its token out.
  const engineTask = EngineTask.parse({
    ...request,
    inputPath,
    contentHash: input.contentHash,
    folder,
    priors,
  });
  const result = await parts.engines.run(engineTask, signal, {
    progress: (done, total) => task.lease.report({ done, total }),
    given: (device) => (noted.device = device),
  });
  const { decode, infer, post, encode } = result.ms;
  const wait = Math.max(performance.now() - sent - decode - infer - post - encode, 0);
  Object.assign(noted.ms, result.ms, { wait });
  noted.result = result;
  if (result.files.length > 0) await timed(noted, "upload", () => upload(task, result, parts));
  return result;
}

/** The most bytes of a mask's PNG: of a hundred megapixels it has fewer even if it is noise. */
const MOST_PRIOR_BYTES = 16_000_000;

/** Fetches the masks that regions correct. @throws TaskFailure named prior_mask_unusable; otherwise as `fetchInput` does */
async function fetchPriors(
  priors: readonly PriorMask[],
  folder: string,
  signal: AbortSignal,
): Promise<NonNullable<ImageTask["priors"]>> {
  const fetched: NonNullable<ImageTask["priors"]> = [];
  for (const { regionIndex, url } of priors) {
    const path = join(folder, `prior-${regionIndex}`);
    try {
      await fetchInput({ url, etag: undefined, limit: MOST_PRIOR_BYTES }, path, signal);
    } catch (error) {
      const isGone = error instanceof TaskFailure && error.problem.code === "input_not_found";
      throw isGone
        ? taskFailure("prior_mask_unusable", { index: regionIndex, reason: "is no longer in storage" })
        : error;
    }
    fetched.push({ regionIndex, path });
  }
  return fetched;
}

async function upload(
  { callback, lease, signal }: Task,
  { files }: EngineResult,
  parts: RunTaskParts,
): Promise<void> {
  const request = {
    files: files.map(({ name, contentType, size, md5 }) => ({ name, contentType, size, md5 })),
  };
  const grant = await callback.outputs(request, lease, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof CallbackRefused) throw error;
    throw taskFailure("output_grant_unavailable");
  });
  checkGrant(files, grant, parts.storageOrigins);
  await putOutputs(files, grant, new Patience(parts.patienceMs, lease), signal);
}

function success(result: EngineResult): Completion {
  return { outcome: "success", output: outputOf(result, new Date().toISOString()) };
}

function outputOf(result: EngineResult, generatedAt: string): TaskOutput {
  const { type, notice, files } = result;
  const shared = { generatedAt, notice };
  const named = filesByKind(
    type,
    files.map(({ name }) => name),
  );
  if (type === "image") return { ...shared, ...ImageFiles.parse(named), type, units: 1, masks: result.masks };
  const { frames, framesWithMasks, totalMasks } = result;
  return { ...shared, ...VideoFiles.parse(named), type, units: frames, framesWithMasks, totalMasks };
}

/**
 * True if the Worker can't read a report. It would refuse the same report again, in each further attempt.
 */
const isUnreadable = (error: unknown): boolean => error instanceof CallbackRefused && error.status === 400;

/** The report of a failed task; undefined if the Worker no longer wants one. */
function failure(error: unknown, task: Task, log: Logger): Completion | undefined {
  const refused = isUnreadable(error) ? taskFailure("report_refused") : undefined;
  if (refused === undefined && error instanceof CallbackRefused) task.abort(new TaskDropped("lease_lost"));
  const cause: unknown = task.signal.aborted ? task.signal.reason : (refused ?? error);
  if (cause instanceof TaskDropped) return undefined;
  if (cause instanceof TaskReturned || cause instanceof ModelUnavailable) return { outcome: "returned" };
  const ended = asTaskFailure(cause);
  if (!(cause instanceof TaskFailure)) {
    const detail = cause instanceof Error ? cause.stack : String(cause);
    log.error({ key: task.request.key, detail }, "task_error");
  }
  return { outcome: "failed", problem: ended.problem, retryable: ended.retryable };
}

/** The report that the Worker accepted, or the reason why it accepted none. */
type End = Completion | "dropped" | "unreported";

/** Reports the end; once more, as `report_refused`, if the Worker can't read the report. */
async function commit(task: Task, completion: Completion, noted: TaskLog, log: Logger): Promise<End> {
  const { callback, lease, signal, request } = task;
  // A task that is handed back has its own time limit; otherwise only the lease limits the report.
  const { reason: ended } = signal;
  const limit = ended instanceof TaskReturned ? AbortSignal.timeout(ended.withinMs) : signal;
  try {
    await timed(noted, "commit", () => callback.complete(completion, lease, limit));
    return completion;
  } catch (error) {
    if (error instanceof CallbackRefused && error.status === 409) task.abort(new TaskDropped("lease_lost"));
    if (task.signal.reason instanceof TaskDropped) return "dropped";
    const reason = messageOf(error);
    log.error({ key: request.key, reason }, "task_unreported");
    const { problem, retryable } = taskFailure("report_refused");
    const isSecond = completion.outcome === "failed" && completion.problem.code === problem.code;
    if (!isUnreadable(error) || isSecond) return "unreported";
    return commit(task, { outcome: "failed", problem, retryable }, noted, log);
  }
}

async function timed<T>(noted: TaskLog, stage: Stage, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await work();
  } finally {
    noted.ms[stage] = performance.now() - started;
  }
}

/** Counts and logs the end of a task. */
function logEnd(
  task: Task,
  end: End,
  { ms, bytes, device = "", result }: TaskLog,
  { log, metrics }: RunTaskParts,
): void {
  const { key, lane, type } = task.request;
  const work = { device, lane, type };
  const outcome = typeof end === "string" ? end : end.outcome;
  const dropped = task.signal.reason instanceof TaskDropped ? task.signal.reason.why : "";
  const failed = typeof end !== "string" && end.outcome === "failed" ? end.problem.code : "";
  const code = end === "dropped" ? dropped : failed;
  metrics.tasks.inc({ outcome, code, ...work });
  const rounded: Record<string, number> = {};
  for (const [stage, spent] of Object.entries(ms)) {
    metrics.stage.observe({ stage, ...work }, spent / 1_000);
    rounded[stage] = Math.round(spent * 10) / 10;
  }
  if (result !== undefined) {
    metrics.model.observe(work, result.modelMs / 1_000);
    if (result.type === "image" && result.featuresCached) metrics.featuresCached.inc();
    rounded["model"] = Math.round(result.modelMs * 10) / 10;
  }
  const facts = {
    key,
    ...work,
    outcome,
    ...(code === "" ? {} : { code }),
    ms: rounded,
    bytes,
    width: result?.width,
    height: result?.height,
    ...(result?.type === "image" && { masks: result.masks.length, featuresCached: result.featuresCached }),
    ...(result?.type === "video" && { frames: result.frames, masks: result.totalMasks }),
  };
  log.info(facts, "task");
}
