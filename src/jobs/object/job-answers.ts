import { filesOf } from "@segmentation/protocol";
import { archiveKey } from "../../shared/bucket/object-keys.ts";
import type { StoredAnnotations } from "../rules/annotations.ts";
import type {
  ArchiveAnswer,
  ContinuedJob,
  FinishedJob,
  FinishedPage,
  FinishedTask,
  FullJobAnswer,
  MaskAsked,
  StoredMask,
} from "../rules/answers.ts";
import { storedMask } from "../rules/result.ts";
import { archiveView, askedOf, jobProgress, jobStatus, jobView } from "../rules/rollup.ts";
import { ownedBy, type JobState, type TaskRecord } from "../rules/state.ts";
import type { JobCell } from "./job-cell.ts";

/** Files on a page of a result, unless one task has more. */
const FILES_A_PAGE = 1_000;

/** The answers to the account that owns the job, from its state and its tasks' outputs: the reading methods of JobRpc. */
export class JobAnswers {
  readonly #cell: JobCell;

  constructor(cell: JobCell) {
    this.#cell = cell;
  }

  status(accountId: string): FullJobAnswer | null {
    const state = ownedBy(this.#cell.state, accountId);
    return (
      state && {
        status: jobView(state),
        progress: jobProgress(state.tasks),
        asked: askedOf(state),
      }
    );
  }

  resultPage(accountId: string, from: number, isSoFar: boolean): FinishedPage | "not_ready" | null {
    const state = ownedBy(this.#cell.state, accountId);
    if (state === null) return null;
    const status = jobStatus(state.tasks);
    if (status === "failed" || (status !== "success" && !isSoFar)) return "not_ready";
    const page: FinishedTask[] = [];
    let next: number | null = null;
    let files = 0;
    for (const [i, task] of state.tasks.entries()) {
      const finished = i < from ? null : this.#finishedTask(task);
      if (finished === null) continue;
      files += filesOf(finished.output).length;
      if (next === null && (page.length === 0 || files <= FILES_A_PAGE)) page.push(finished);
      else next ??= i;
      // The first page counts all files once.
      if (next !== null && from > 0) break;
    }
    return { definition: state.definition, tasks: page, next, files };
  }

  continued(accountId: string): ContinuedJob | null {
    const { definition } = ownedBy(this.#cell.state, accountId) ?? {};
    if (definition === undefined) return null;
    return { firstJobId: definition.continues ?? definition.jobId, taskIds: definition.taskIds };
  }

  masks(accountId: string, asked: readonly MaskAsked[]): (StoredMask | null)[] | "not_ready" | null {
    const state = ownedBy(this.#cell.state, accountId);
    if (state === null) return null;
    if (jobStatus(state.tasks) !== "success") return "not_ready";
    const named = state.tasks.filter(({ taskId }) => asked.some((mask) => mask.taskId === taskId));
    const job = this.finished({ ...state, tasks: named });
    return asked.map((mask) => storedMask(job, mask));
  }

  annotations(accountId: string): { stored: StoredAnnotations | null } | null {
    return ownedBy(this.#cell.state, accountId) && { stored: this.#cell.storage.loadAnnotations() };
  }

  archive(accountId: string): ArchiveAnswer {
    const state = ownedBy(this.#cell.state, accountId);
    return state && this.archiveOf(state);
  }

  archiveOf({ definition, archive }: JobState): Exclude<ArchiveAnswer, null> {
    if (archive === null) return "not_requested";
    const { accountId, jobId } = definition;
    const { step } = archive;
    const readyKey = step.at === "ready" ? archiveKey(accountId, jobId, step.lease) : null;
    return { view: archiveView(jobId, archive), readyKey };
  }

  /** Returns the successful tasks, with their outputs. */
  finished({ definition, tasks }: JobState): FinishedJob {
    return { definition, tasks: tasks.flatMap((task) => this.#finishedTask(task) ?? []) };
  }

  #finishedTask({ taskId, step }: TaskRecord): FinishedTask | null {
    const output = step.at === "success" ? this.#cell.storage.loadOutput(taskId) : null;
    return step.at === "success" && output !== null ? { taskId, lease: step.lease, output } : null;
  }
}
