import type { ResultFormat, VideoFormat } from "../contract/job.ts";
import type { ProcessingMode } from "../../shared/api/primitives.ts";
import type { RefinedMask } from "../contract/region.ts";
import type { ArchiveEventData, EndEvent } from "../contract/end-event.ts";
import type { Place } from "@segmentation/masks";
import type { ImageParameters, Lane, Sampling, TaskProblem, VideoParameters } from "@segmentation/protocol";
import { newDelivery, type Delivery } from "./delivery.ts";

interface BaseDefinition {
  readonly jobId: string;
  readonly accountId: string;
  readonly processingMode: ProcessingMode;
  readonly lane: Lane;
  readonly taskIds: readonly string[];
  /**
   * The ETag of each input at the acceptance, in the order of `taskIds`: other bytes are refused. Absent before the acceptance.
   */
  readonly inputEtags?: readonly string[];
  readonly createdAt: number;
  /** The first job of the same uploads, to which this one adds; absent if it adds to none. */
  readonly continues?: string;
  /** The account's database; absent for the first one. */
  readonly database?: string;
}

/** A task's region without its index, like the protocol's `TaskRegion`; fields missing in the request are absent. */
type TaskPlace = { readonly taskId: string; readonly label?: string; readonly findAll?: true } & Place;

/**
 * Position of an object to segment in a task's picture. `prior` is the bucket's key of the mask that the region refines,
 * `refines` its name.
 */
export type JobRegion = TaskPlace & { readonly prior?: string; readonly refines?: RefinedMask };

/** Position and time of an object to track in a video, like the protocol's `ClipRegion`. */
export type JobClipRegion = TaskPlace & { readonly timeSeconds: number; readonly objectId?: number };

export interface ImageJobDefinition extends BaseDefinition, Readonly<ImageParameters> {
  /** In the request's order. Absent if it had none. */
  readonly regions?: readonly JobRegion[];
  /** True for a free job, which refines masks of paid pictures; otherwise absent. */
  readonly free?: true;
  /** Additional formats of the result, each once; absent if there are none. */
  readonly formats?: readonly ResultFormat[];
}

/** Of `fps` and `numFrames` at most one is set. */
export interface VideoJobDefinition extends BaseDefinition, Readonly<VideoParameters>, Readonly<Sampling> {
  /** As for pictures. */
  readonly regions?: readonly JobClipRegion[];
  readonly formats?: readonly VideoFormat[];
}

/**
 * The account's request; only its database may change, if the account is moved. `createdAt` is epoch milliseconds, like every
 * time in this folder.
 */
export type JobDefinition = ImageJobDefinition | VideoJobDefinition;

/** A task's end. `lease` is the lease of the holder that ended it; null if no holder did. */
export type TaskEnd =
  | { readonly at: "success"; readonly lease: number }
  | { readonly at: "failed"; readonly lease: number | null };

/** A task's progress, in units, as reported by the holder of the lease. */
export interface TaskProgress {
  readonly lease: number;
  readonly done: number;
  readonly total: number;
}

export interface TaskRecord extends Delivery<TaskEnd> {
  readonly taskId: string;
  /** True if the inference service has ever taken it. */
  readonly started: boolean;
  /** The pool of the inference service that took it for the present lease; absent until the Worker knows it. */
  readonly pool?: string;
  /** The cause of its failure or of its last attempt's end, or the part that a success could not deliver. */
  readonly problem: TaskProblem | null;
  /** Absent until a holder reports progress, and again after the next claim. */
  readonly progress?: TaskProgress;
  /** Units that holders before the present one processed; absent if none reported any. */
  readonly spent?: number;
  /** Units that the attempts had processed when they last advanced by a tenth of the task; absent if they never did. */
  readonly advancedTo?: number;
  /** Time at which the last attempt failed or was handed back; absent if none was. */
  readonly failedAt?: number;
}

/** An archive's end: ready until it expires, or failed until it is requested again. */
export type ArchiveEnd =
  | { readonly at: "ready"; readonly lease: number; readonly expiresAt: number }
  | { readonly at: "failed"; readonly message: string };

/** A multipart upload of an archive. `lease` is that of the builder that began it, and the one in the object's key. */
export interface ArchiveUpload {
  readonly lease: number;
  readonly uploadId: string;
}

export interface ArchiveRecord extends Delivery<ArchiveEnd> {
  /** Time of its request; absent if it failed at once, which is not measured. */
  readonly requestedAt?: number;
  /** Number of builders that have claimed it; absent if none was counted. */
  readonly messages?: number;
  /** Number of files of the half-built archive, which has a separate row; absent if there is none. */
  readonly kept?: number;
  /** The upload that its builders write to; absent until one of them begins it. */
  readonly upload?: ArchiveUpload;
  /** True if it was restarted because its builders failed on the saved progress; otherwise absent. */
  readonly restarted?: true;
}

/** An event for the account's webhook endpoints. All of its deliveries have its id. */
export interface NotedEvent {
  readonly id: string;
  readonly type: EndEvent["type"];
  /** Time of the event, epoch milliseconds. */
  readonly at: number;
  /** The archive's end; absent for the end of the job. */
  readonly archive?: ArchiveEventData;
}

/**
 * `prepared`: stored, but not yet in the account's list; it may still be withdrawn. `running`: accepted. `withdrawn` (never
 * accepted) and `expired` (past its retention, or deleted before): to be forgotten with everything it left behind.
 */
export type JobPhase = "prepared" | "running" | "withdrawn" | "expired";

/** The start of a job's standstill: the first refusal for lack of room after its last progress (`refused`), or that progress. */
interface Standstill {
  readonly since: number;
  readonly refused: boolean;
}

/** The authoritative state of one job. */
export interface JobState {
  readonly definition: JobDefinition;
  readonly phase: JobPhase;
  readonly tasks: readonly TaskRecord[];
  readonly archive: ArchiveRecord | null;
  /** Number of archives that the job has begun; absent if none was counted. */
  readonly archivesBegun?: number;
  /** Abandoned uploads of archives, to be aborted; absent if there are none. */
  readonly abandonedUploads?: readonly ArchiveUpload[];
  /** Events that some endpoint may not have received; absent if there are none. */
  readonly events?: readonly NotedEvent[];
  /** The last fencing token issued; the next claim gets the next one. */
  readonly lastLease: number;
  readonly updatedAt: number;
  /** Increases with each change that the account's list shows; `projected` is the version that the list has. */
  readonly version: number;
  readonly projected: number;
  /** Absent without any progress or refusal so far: then it counts from the job's acceptance. */
  readonly standstill?: Standstill;
  /** The last time at which the list turned out to have lost this accepted job; null while it has it. */
  readonly unlistedAt: number | null;
  /** Number of consecutive failures to send, and the time `at` of the next try; absent if nothing failed. */
  readonly retry?: { readonly tries: number; readonly at: number };
  /** True once an expired job is removed from the list and settled; absent until then. */
  readonly struck?: true;
  /** Time of the second and last purge of a forgotten job's objects from the bucket; absent before the first. */
  readonly purgeAgainAt?: number;
}

/** A new job, before its acceptance. */
export function newJob(definition: JobDefinition): JobState {
  return {
    definition,
    phase: "prepared",
    tasks: definition.taskIds.map((taskId) => ({
      taskId,
      ...newDelivery(definition.createdAt),
      started: false,
      problem: null,
    })),
    archive: null,
    lastLease: 0,
    updatedAt: definition.createdAt,
    version: 1,
    projected: 0,
    unlistedAt: null,
  };
}

export const isDone = (task: TaskRecord): boolean => task.step.at === "success" || task.step.at === "failed";

/** Returns true if all tasks have ended, and so the job. */
export const hasEnded = (tasks: readonly TaskRecord[]): boolean => tasks.every(isDone);

/** Returns the end of an archive; null while it is pending, or if none was requested. */
export function archiveEnd(archive: ArchiveRecord | null): "ready" | "failed" | null {
  const at = archive?.step.at;
  return at === "ready" || at === "failed" ? at : null;
}

/** The job as its account sees it; null if it is another account's, not accepted, or to be forgotten. */
export const ownedBy = (state: JobState | null, accountId: string): JobState | null =>
  state?.phase === "running" && state.definition.accountId === accountId ? state : null;
