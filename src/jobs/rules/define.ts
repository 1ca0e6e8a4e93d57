import type { AccessMode } from "../../billing/contract/billing.ts";
import type { CreateJobRequest, ImageJobRequest } from "../contract/job.ts";
import type { ProcessingMode } from "../../shared/api/primitives.ts";
import { type ClipRegion, EMBEDDING, type Region } from "../contract/region.ts";
import { recorded } from "../../shared/storage/databases.ts";
import { laneOf } from "./lane.ts";
import type { ImageJobDefinition, JobClipRegion, JobDefinition, JobRegion } from "./state.ts";
import { distinctPrompts } from "@segmentation/masks";
import {
  categoriesOf,
  type Category,
  type ClipRegion as TaskClipRegion,
  ImageParameters,
  nameOf,
  objectsOf,
  type TaskRegion,
  VideoParameters,
} from "@segmentation/protocol";

/** The account that requests a job, and its access. */
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

/** Returns the formats that a request names, each once; no field if it names none. */
const wanted = <Format>(formats: readonly Format[] = []): { formats?: readonly Format[] } =>
  formats.length === 0 ? {} : { formats: [...new Set(formats)] };

function regionOf({ taskId, box, points = [], label, findAll }: Omit<Region, "refines">): JobRegion {
  const place = box === undefined ? { points } : { box };
  return { taskId, ...place, ...(label !== undefined && { label }), ...(findAll === true && { findAll }) };
}

const clipRegionOf = ({ timeSeconds = 0, objectId, ...region }: ClipRegion): JobClipRegion => ({
  ...regionOf(region),
  timeSeconds,
  ...(objectId !== undefined && { objectId }),
});

/** Returns true if a job only refines masks of its pictures. An embedding makes further refinements possible. */
const onlyRefines = ({ prompts, regions, formats = [] }: ImageJobRequest): boolean =>
  prompts === undefined &&
  !formats.includes(EMBEDDING) &&
  regions?.every(({ refines }) => refines !== undefined) === true;

/**
 * Returns the job that an account requests, with the id `jobId`; `now` is epoch milliseconds.
 * @param hasFreeRefinements true if all of its pictures have free refinements left
 */
export function defineJob(
  { accountId, accessMode, database }: Asker,
  request: CreateJobRequest,
  jobId: string,
  now: number,
  hasFreeRefinements = false,
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
    const parameters = ImageParameters.parse({ ...request, prompts: distinctPrompts(request.prompts ?? []) });
    const drawn = request.regions && { regions: request.regions.map(regionOf) };
    const free = hasFreeRefinements && onlyRefines(request) && { free: true as const };
    return { ...common, ...parameters, ...wanted(request.formats), ...drawn, ...free };
  }
  const { fps = null, numFrames = null, maxFrames = null } = request;
  const parameters = VideoParameters.parse({ ...request, prompts: distinctPrompts(request.prompts ?? []) });
  const followed = request.regions && { regions: request.regions.map(clipRegionOf) };
  return { ...common, ...parameters, fps, numFrames, maxFrames, ...wanted(request.formats), ...followed };
}

/** The regions of one of a job's tasks, each with its index among all of the job's. */
export const regionsOfTask = ({ regions = [] }: ImageJobDefinition, taskId: string): TaskRegion[] =>
  regions.flatMap(({ taskId: of, prior: _prior, refines: _refines, ...where }, index) =>
    of === taskId ? [{ index, ...where }] : [],
  );

/**
 * Returns the masks that a task's regions refine: the region's index among all of the job's, and the mask's key in the bucket.
 */
export const priorsOfTask = ({ regions = [] }: ImageJobDefinition, taskId: string) =>
  regions.flatMap(({ taskId: of, prior }, regionIndex) =>
    of === taskId && prior !== undefined ? [{ regionIndex, prior }] : [],
  );

/** The regions of a video, each with its index. */
export const clipRegionsOf = (regions: readonly JobClipRegion[]): TaskClipRegion[] =>
  regions.map(({ taskId: _taskId, ...where }, index) => Object.assign({ index }, where));

/** Returns the names of the objects of a job's regions, in their order; empty if it has none. */
export const regionNamesOf = ({ regions = [] }: JobDefinition): string[] =>
  objectsOf<JobRegion | JobClipRegion>(regions).map(nameOf);

/** Returns the categories of a job's annotations and labels: its prompts, then the names of its regions. */
export const categoriesOfJob = (definition: JobDefinition): Category[] =>
  categoriesOf(definition.prompts, regionNamesOf(definition));
