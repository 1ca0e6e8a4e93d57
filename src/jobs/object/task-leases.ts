import type { Completion, ProgressReport } from "@segmentation/protocol";
import type { TaskClaim } from "../rules/answers.ts";
import type { JobPolicy } from "../rules/policy.ts";
import type { JobDefinition, TaskRecord } from "../rules/state.ts";
import * as tasks from "../rules/tasks.ts";
import type { ExtendedTask } from "../store/rpc.ts";
import type { JobCell, Take } from "./job-cell.ts";

/** The leases of the job's tasks: the methods of JobRpc for the consumers that process them. */
export class TaskLeases {
  readonly #cell: JobCell;
  readonly #policy: JobPolicy;
  readonly #take: Take;

  constructor(cell: JobCell, policy: JobPolicy, take: Take) {
    this.#cell = cell;
    this.#policy = policy;
    this.#take = take;
  }

  async claim(taskId: string): Promise<TaskClaim | null> {
    const state = await this.#take((job, now) => tasks.claimTask(job, taskId, this.#policy, now));
    const step = this.#task(taskId)?.step;
    if (state === null || step?.at !== "leased") return null;
    return { definition: state.definition, lease: step.lease, deadline: step.deadline };
  }

  async release(taskId: string, lease: number, askedMs: number): Promise<void> {
    await this.#take((job, now) => tasks.releaseTask(job, taskId, lease, askedMs, Math.random(), now));
  }

  async start(taskId: string, lease: number, pool: string | null): Promise<void> {
    await this.#take((job, now) => tasks.startTask(job, taskId, lease, now, pool));
  }

  holding(taskId: string, lease: number): JobDefinition | null {
    const { state } = this.#cell;
    const step = this.#task(taskId)?.step;
    const isHeld = state?.phase === "running" && step?.at === "leased" && step.lease === lease;
    return isHeld ? state.definition : null;
  }

  async extend(taskId: string, lease: number, report: ProgressReport): Promise<ExtendedTask | null> {
    const before = this.#task(taskId)?.progress;
    const state = await this.#take((job, now) =>
      tasks.extendTask(job, taskId, lease, report, this.#policy, now),
    );
    const { step, progress } = this.#task(taskId) ?? {};
    if (state === null || step?.at !== "leased" || step.lease !== lease) return null;
    const advanced = progress?.lease !== before?.lease || progress?.done !== before?.done;
    return { deadline: step.deadline, type: state.definition.type, advanced };
  }

  async complete(taskId: string, lease: number, completion: Completion): Promise<tasks.Reported> {
    let report: tasks.Reported = { reported: "lease_lost" };
    await this.#take((job, now) => {
      const moved = tasks.completeTask(job, taskId, lease, completion, this.#policy, now);
      ({ report } = moved);
      const ended = report.reported === "ended";
      if (ended && completion.outcome === "success") {
        this.#cell.storage.saveOutput(taskId, completion.output);
      }
      return { state: moved.state, taken: ended };
    });
    return report;
  }

  #task(taskId: string): TaskRecord | undefined {
    return this.#cell.state?.tasks.find((task) => task.taskId === taskId);
  }
}
