import { problemOf, type Completion, type ProgressReport, type TaskProblem } from "@segmentation/protocol";
import { outputRefusal } from "./task-outputs.ts";
import * as delivery from "./delivery.ts";
import { givesUpAt, type JobPolicy } from "./policy.ts";
import { latestProgress, jobError, jobStatus } from "./rollup.ts";
import { isDone, type JobState, type TaskRecord } from "./state.ts";

/** A job after an event, and whether the event was taken. An event that is not taken changes nothing. */
export interface Transition {
  readonly state: JobState;
  readonly taken: boolean;
}

/** The outcome of a holder's final report: it ended the attempt, repeated an earlier report, came too late, or is invalid. */
export type Reported =
  | { readonly reported: "ended" | "repeated" | "lease_lost" }
  | { readonly reported: "refused"; readonly reason: string };

const notTaken = (state: JobState): Transition => ({ state, taken: false });

const find = (state: JobState, taskId: string): TaskRecord | undefined =>
  state.tasks.find((task) => task.taskId === taskId);

const shown = (tasks: readonly TaskRecord[]): string => `${jobStatus(tasks)} ${jobError(tasks)}`;

/** Returns the job with some tasks changed; with a new version if the account's list shows a difference. */
function withTasks(state: JobState, tasks: readonly TaskRecord[], now: number): JobState {
  if (tasks.every((task, i) => task === state.tasks[i])) return state;
  return shown(state.tasks) === shown(tasks)
    ? { ...state, tasks }
    : { ...state, tasks, updatedAt: now, version: state.version + 1 };
}

const withTask = (state: JobState, changed: TaskRecord, now: number): JobState =>
  withTasks(
    state,
    state.tasks.map((task) => (task.taskId === changed.taskId ? changed : task)),
    now,
  );

const failed = (task: TaskRecord, lease: number | null, problem: TaskProblem): TaskRecord => ({
  ...task,
  step: { at: "failed", lease },
  problem,
});

/** Begins another attempt after a failed one, or fails the task with the problem of the last. */
const attemptFailed = (
  task: TaskRecord,
  lease: number,
  problem: TaskProblem,
  policy: JobPolicy,
  now: number,
): TaskRecord =>
  delivery.retried({ ...task, problem, failedAt: now }, policy, now) ?? failed(task, lease, problem);

/** Returns the task with a new holder. Work of earlier holders stays counted: its cost is the same. */
function atNewHolder(before: TaskRecord): TaskRecord {
  const { progress, pool: _, ...task } = before;
  return progress === undefined ? task : { ...task, spent: (task.spent ?? 0) + progress.done };
}

/** Lets a consumer claim a task. Taken only if the job is running, the task has no holder and it has not ended. */
export function claimTask(state: JobState, taskId: string, policy: JobPolicy, now: number): Transition {
  const task = find(state, taskId);
  if (state.phase !== "running" || task === undefined) return notTaken(state);
  const lease = state.lastLease + 1;
  const held = delivery.claimed(task, lease, policy, now);
  if (held === null) return notTaken(state);
  return { state: withTask({ ...state, lastLease: lease }, atNewHolder(held), now), taken: true };
}

/** An event from a task's holder: taken only while the lease is in force. A job that is being forgotten has no holders. */
function byHolder(
  state: JobState,
  taskId: string,
  lease: number,
  now: number,
  change: (task: TaskRecord) => TaskRecord,
): Transition {
  const task = find(state, taskId);
  if (state.phase !== "running" || task === undefined || !delivery.isHeldBy(task, lease))
    return notTaken(state);
  return { state: withTask(state, change(task), now), taken: true };
}

/** Like byHolder, for an event that shows progress of the job. */
function byBusyHolder(...event: Parameters<typeof byHolder>): Transition {
  const [, , , now] = event;
  const { state, taken } = byHolder(...event);
  return taken
    ? { state: { ...state, standstill: { since: now, refused: false } }, taken }
    : { state, taken };
}

/**
 * Puts a task back after the inference service had no room: it waits for `askedMs` or more (`refusalDelay`), and keeps its
 * attempts.
 */
export function releaseTask(
  state: JobState,
  taskId: string,
  lease: number,
  askedMs: number,
  random: number,
  now: number,
): Transition {
  const released = byHolder(state, taskId, lease, now, (task) =>
    delivery.handedBack(task, askedMs, random, now),
  );
  if (!released.taken || state.standstill?.refused) return released;
  return { state: { ...released.state, standstill: { since: now, refused: true } }, taken: true };
}

/** Records that a pool of the inference service took the task and is processing it. */
export const startTask = (
  state: JobState,
  taskId: string,
  lease: number,
  now: number,
  pool: string | null = null,
): Transition =>
  byBusyHolder(state, taskId, lease, now, (task) => ({
    ...task,
    started: true,
    ...(pool !== null && { pool }),
  }));

/** Share of a task by which an attempt has to advance further than those before: that limits their number. */
const ADVANCE_SHARE = 0.1;

/**
 * Returns the task after a report. Counts its attempts from zero again if a later one has advanced by a tenth of it: restarts of
 * the service do not fail a long video, but an attempt that always fails at the same frame does.
 */
function withAdvance(task: TaskRecord, { done, total }: ProgressReport): TaskRecord {
  const { advancedTo = 0 } = task;
  if (done < advancedTo + Math.max(1, total * ADVANCE_SHARE)) return task;
  return { ...delivery.advanced(task), advancedTo: done };
}

/** Records the holder's progress and extends its lease. */
export const extendTask = (
  state: JobState,
  taskId: string,
  lease: number,
  report: ProgressReport,
  policy: JobPolicy,
  now: number,
): Transition =>
  byBusyHolder(state, taskId, lease, now, (task) => ({
    ...withAdvance(delivery.extended(task, lease, policy, now), report),
    started: true,
    progress: latestProgress(task, lease, report),
  }));

/**
 * Records the holder's final report. The holder that ended the task may repeat its report without effect; any other report is too
 * late, as is any once the job is being forgotten. Refuses an output that such a task cannot have; the holder then keeps its
 * lease.
 */
export function completeTask(
  state: JobState,
  taskId: string,
  lease: number,
  completion: Completion,
  policy: JobPolicy,
  now: number,
): { readonly state: JobState; readonly report: Reported } {
  const ended = state.phase === "running" ? find(state, taskId)?.step : undefined;
  if ((ended?.at === "success" || ended?.at === "failed") && ended.lease === lease) {
    return { state, report: { reported: "repeated" } };
  }
  const reason =
    completion.outcome === "success" ? outputRefusal(state.definition.type, completion.output) : null;
  const take = completion.outcome === "returned" ? byHolder : byBusyHolder;
  const moved = take(state, taskId, lease, now, (held) => {
    const task = { ...held, started: true };
    if (completion.outcome === "success") {
      return { ...task, step: { at: "success", lease }, problem: completion.output.notice };
    }
    if (completion.outcome === "returned") return { ...delivery.handedBack(task, 0, 0, now), failedAt: now };
    return completion.retryable
      ? attemptFailed(task, lease, completion.problem, policy, now)
      : failed(task, lease, completion.problem);
  });
  if (!moved.taken) return { state, report: { reported: "lease_lost" } };
  return reason === null
    ? { state: moved.state, report: { reported: "ended" } }
    : { state, report: { reported: "refused", reason } };
}

/** Applies the effects of time to the tasks: leases end, and a task that has waited too long fails. */
export function tickTasks(state: JobState, policy: JobPolicy, now: number): JobState {
  const tasks = state.tasks.map((task) => {
    if (isDone(task)) return task;
    if (task.step.at === "leased") {
      return delivery.isExpired(task, now)
        ? attemptFailed(task, task.step.lease, task.problem ?? problemOf("attempts_exhausted"), policy, now)
        : task;
    }
    return now < givesUpAt(task, state, policy)
      ? task
      : failed(task, null, problemOf("inference_unavailable"));
  });
  return withTasks(state, tasks, now);
}

/** Cancels the unfinished tasks that `isMeant` selects. */
function cancelWhere(state: JobState, isMeant: (task: TaskRecord) => boolean, now: number): Transition {
  const ends = (task: TaskRecord): boolean => !isDone(task) && isMeant(task);
  if (state.phase !== "running" || !state.tasks.some(ends)) return notTaken(state);
  const canceled = state.tasks.map((task) => (ends(task) ? failed(task, null, problemOf("canceled")) : task));
  return { state: withTasks(state, canceled, now), taken: true };
}

/** Cancels the job: each unfinished task fails, and a report by its holder comes too late. */
export const cancelTasks = (state: JobState, now: number): Transition => cancelWhere(state, () => true, now);

/** Cancels each task that the inference service never took and no consumer holds. */
export const cancelUnbegun = (state: JobState, now: number): Transition =>
  cancelWhere(state, ({ started, step }) => !started && step.at !== "leased", now);

/** Selects the tasks whose messages are due, as many as fit the window, and marks them as sent. */
export function takeDueTasks(
  state: JobState,
  policy: JobPolicy,
  now: number,
): { state: JobState; taskIds: string[] } {
  let room = policy.window - state.tasks.filter((task) => delivery.takesPlace(task, now)).length;
  const due = state.tasks.filter((task) => {
    if (!delivery.isDue(task, now)) return false;
    if (task.step.at !== "waiting") return true;
    room -= 1;
    return room >= 0;
  });
  const taskIds = due.map(({ taskId }) => taskId);
  return { state: tasksSent(state, taskIds, policy, now), taskIds };
}

/**
 * Returns the job once the messages of these tasks, due at `now`, are in the queue. Tasks that have changed meanwhile stay
 * unchanged.
 */
export const tasksSent = (
  state: JobState,
  taskIds: readonly string[],
  policy: JobPolicy,
  now: number,
): JobState =>
  withTasks(
    state,
    state.tasks.map((task) =>
      taskIds.includes(task.taskId) && delivery.isDue(task, now) ? delivery.sent(task, policy, now) : task,
    ),
    now,
  );
