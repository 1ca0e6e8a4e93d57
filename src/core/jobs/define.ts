import type { AccessMode } from "../../contract/account.ts";
import type { CreateJobRequest } from "../../contract/job.ts";
import type { ProcessingMode } from "../../contract/primitives.ts";
import type { Region } from "../../contract/region.ts";
import { laneOf } from "../accounts/access.ts";
import { recorded } from "../databases.ts";
import type { JobDefinition, JobRegion, ImageJobDefinition } from "./state.ts";
import {
  categoriesOf,
  type Category,
  ImageParameters,
  type TaskRegion,
  VideoParameters,
} from "@segmentation/protocol";

/** Who requests a job. */
interface Asker {
  readonly accountId: string;
  readonly accessMode: AccessMode;
  readonly database?: string;
}

/** `video` for a video; for pictures `single` or `batch`, by their number. */
function processingModeOf({ type, tasks }: CreateJobRequest): ProcessingMode {
  if (type === "video") return "video";
  return tasks.length === 1 ? "single" : "batch";
}

/** The formats that a request names, each once; no field if it names none. */
const wanted = <Format>(formats: readonly Format[] = []): { formats?: readonly Format[] } =>
  formats.length === 0 ? {} : { formats: [...new Set(formats)] };

function regionOf({ taskId, box, points = [] }: Region): JobRegion {
  if (box === undefined) return { taskId, points };
  const [x, y, width, height] = box;
  return { taskId, box: { x, y, width, height } };
}

/** The job that an account's request describes, with the id `jobId`; `now` is epoch milliseconds. */
export function defineJob(
  { accountId, accessMode, database }: Asker,
  request: CreateJobRequest,
  jobId: string,
  now: number,
): JobDefinition {
  const processingMode = processingModeOf(request);
  const common = {
    jobId,
    accountId,
    processingMode,
    lane: laneOf(accessMode, processingMode),
    taskIds: request.tasks,
    createdAt: now,
    ...recorded(database),
  };
  if (request.type === "image") {
    const parameters = ImageParameters.parse({ ...request, prompts: request.prompts ?? [] });
    const drawn = request.regions && { regions: request.regions.map(regionOf) };
    return { ...common, ...parameters, ...wanted(request.formats), ...drawn };
  }
  const { fps = null, numFrames = null, maxFrames = null } = request;
  const parameters = VideoParameters.parse(request);
  return { ...common, ...parameters, fps, numFrames, maxFrames, ...wanted(request.formats) };
}

/** The regions of one of a job's tasks, each with its index among all of the job's. */
export const regionsOfTask = ({ regions = [] }: ImageJobDefinition, taskId: string): TaskRegion[] =>
  regions.flatMap(({ taskId: of, ...where }, index) => (of === taskId ? [{ index, ...where }] : []));

/** The categories of a job's annotations and labels: its prompts, then `region` if it has regions. */
export const categoriesOfJob = (definition: JobDefinition): Category[] =>
  categoriesOf(definition.prompts, definition.type === "image" && definition.regions !== undefined);
