import type { ResultFormat, VideoFormat } from "../contract/job.ts";
import type { ProcessingMode } from "../../shared/api/primitives.ts";
import type { RefinedMask } from "../contract/region.ts";
import type { ArchiveEventData, EndEvent } from "../contract/end-event.ts";
import type {
  ImageParameters,
  Lane,
  RegionBox,
  RegionPoint,
  Sampling,
  TaskProblem,
  VideoParameters,
} from "@segmentation/protocol";
import { newDelivery, type Delivery } from "./delivery.ts";

interface BaseDefinition {
  readonly jobId: string;
  readonly accountId: string;
  readonly processingMode: ProcessingMode;
  readonly lane: Lane;
  readonly taskIds: readonly string[];
  /**
   * The ETag of each input at the acceptance, in the order of `taskIds`: other bytes are not processed. Absent before the
   * acceptance.
   */
  readonly inputEtags?: readonly string[];
  readonly createdAt: number;
  /** The first job of the same uploads, to which this one adds; absent if it adds to none. */
  readonly continues?: string;
  /** Where the account's books are; absent for the first database. */
  readonly database?: string;
}

/** A task's region without its index, as in the protocol's `TaskRegion`; absent is what the request left out. */
type TaskPlace = { readonly taskId: string; readonly label?: string } & (
  | { readonly box: RegionBox }
  | { readonly points: readonly RegionPoint[] }
);

/**
 * Where in a task's picture to segment an object. `prior` is the bucket's key of the mask that the region refines, `refines` its
 * name.
 */
export type JobRegion = TaskPlace & { readonly prior?: string; readonly refines?: RefinedMask };

/** Where in a clip, and when, an object is that is to be followed, as in the protocol's `ClipRegion`. */
export type JobClipRegion = TaskPlace & { readonly timeSeconds: number; readonly objectId?: number };

export interface ImageJobDefinition extends BaseDefinition, Readonly<ImageParameters> {
  /** In the request's order. Absent if it had none. */
  readonly regions?: readonly JobRegion[];
  /** Whether it costs nothing: it refines masks of pictures that were paid for. Absent if not. */
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

/** What the account requested; only its database may change, if the account is moved. `createdAt` is epoch milliseconds, like every time in this folder. */
export type JobDefinition = ImageJobDefinition | VideoJobDefinition;

/** How a task ends. `lease` is the lease of the holder that ended it; null if no holder did. */
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
  /** Whether the inference service has ever taken it. */
  readonly started: boolean;
  /** Why it failed, what a success could not deliver, or why the last attempt ended. */
  readonly problem: TaskProblem | null;
  /** Absent until a holder reports any, and again after the next claim. */
  readonly progress?: TaskProgress;
  /** Units that holders before the present one processed; absent if none reported any. */
  readonly spent?: number;
  /** How much of it, in units, the attempts had processed when they last got further by a tenth of it; absent if they never did. */
  readonly advancedTo?: number;
  /** When the last attempt failed or was handed back; absent if none was. */
  readonly failedAt?: number;
}

/** How an archive ends: ready until it expires, or failed until it is requested again. */
export type ArchiveEnd =
  | { readonly at: "ready"; readonly lease: number; readonly expiresAt: number }
  | { readonly at: "failed"; readonly message: string };

/** A multipart upload of an archive. `lease` is that of the builder that began it, and the one in the object's key. */
export interface ArchiveUpload {
  readonly lease: number;
  readonly uploadId: string;
}

export interface ArchiveRecord extends Delivery<ArchiveEnd> {
  /** When it was requested; absent if it failed at once, which is not measured. */
  readonly requestedAt?: number;
  /** How many builders have claimed it; absent if none was counted. */
  readonly messages?: number;
  /** How many files the half-built archive has that is stored beside the state; absent if there is none. */
  readonly kept?: number;
  /** The upload that its builders write to; absent until one of them begins it. */
  readonly upload?: ArchiveUpload;
  /** Whether it was restarted because its builders failed on the saved progress; absent if not. */
  readonly restarted?: true;
}

/** An event for the account's webhook endpoints. All of its deliveries have its id. */
export interface NotedEvent {
  readonly id: string;
  readonly type: EndEvent["type"];
  /** When it happened, epoch milliseconds. */
  readonly at: number;
  /** How the archive ended; absent for the end of the job. */
  readonly archive?: ArchiveEventData;
}

/**
 * `prepared`: stored, but not yet in the account's list; it may still be withdrawn. `running`: accepted. `withdrawn` (never
 * accepted) and `expired` (past its retention, or deleted before): to be forgotten with everything it left behind.
 */
export type JobPhase = "prepared" | "running" | "withdrawn" | "expired";

/**
 * Since when a job has gone without any progress: since the first time after its last progress that the inference service had
 * no room (`refused`), or since that progress.
 */
export interface Standstill {
  readonly since: number;
  readonly refused: boolean;
}

/** The authoritative state of one job. */
export interface JobState {
  readonly definition: JobDefinition;
  readonly phase: JobPhase;
  readonly tasks: readonly TaskRecord[];
  readonly archive: ArchiveRecord | null;
  /** How many archives the job has begun; absent if none was counted. */
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
  /** Absent while there was neither progress nor a refusal: then it is since the job's acceptance. */
  readonly standstill?: Standstill;
  /** When the list last turned out to have lost this accepted job; null while it has it. */
  readonly unlistedAt: number | null;
  /** Something could not be sent so many times in a row, and is sent again at `at`; absent if nothing failed. */
  readonly retry?: { readonly tries: number; readonly at: number };
  /** Whether an expired job is removed from the list and settled; absent until then. */
  readonly struck?: true;
  /** When a forgotten job's objects are purged from the bucket for the second and last time; absent before the first. */
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

/** Whether a task has ended. */
export const isDone = (task: TaskRecord): boolean => task.step.at === "success" || task.step.at === "failed";

/** Whether all tasks have ended, and so the job. */
export const hasEnded = (tasks: readonly TaskRecord[]): boolean => tasks.every(isDone);

/** How an archive has ended; null while it is pending, or if none was requested. */
export function archiveEnd(archive: ArchiveRecord | null): "ready" | "failed" | null {
  const at = archive?.step.at;
  return at === "ready" || at === "failed" ? at : null;
}

/** The job as its account sees it; null if it is another account's, not accepted, or to be forgotten. */
export const ownedBy = (state: JobState | null, accountId: string): JobState | null =>
  state?.phase === "running" && state.definition.accountId === accountId ? state : null;
