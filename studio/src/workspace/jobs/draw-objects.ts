import { batch } from "@preact/signals";
import { SegmentationError } from "segmentation-client";
import { overview, refreshAccount } from "../../state/session.ts";
import { giveUp, noteEmbedding, prepare, wantsEmbedding } from "../decoding/instant.ts";
import { withUnder } from "../masks/background-colors.ts";
import type { Instance } from "../rules/instances.ts";
import {
  type Attempt,
  correctedBy,
  costsUnit,
  isTooUnsure,
  latestAttempt,
  nextToDraw,
  type Pending,
  refinedOf,
  regionOn,
  replaced,
  unsent,
  withAttempt,
  withOther,
  withoutAttempt,
} from "../rules/pointed-objects.ts";
import { FoundJob } from "../service/found-job.ts";
import { onceOnline, until } from "../service/once-online.ts";
import { type Going, IDLE, type Workspace } from "../workspace.ts";
import { continuedBy, discard } from "./job-group.ts";
import { create, send } from "./send.ts";

/** Attempts that one job draws. */
type Together = readonly [Pending, ...Pending[]];

/** Segments waiting objects, one job after another: the service caches a picture's features for the next one. */
export const drawAll = (workspace: Workspace): Promise<void> =>
  workspace.runner.objects.do("", async () => {
    for (
      let next = nextToDraw(workspace.pointed.value);
      next !== null;
      next = nextToDraw(workspace.pointed.value)
    ) {
      const isUnasked = next[0].attempt.jobId === null;
      // One job at a time: the prompts' job goes first.
      if (isUnasked && overview.value?.access.maxActiveJobs === 1 && workspace.going.value.at !== "idle")
        await until(workspace.going, ({ at }) => at === "idle");
      else await draw(workspace, next);
    }
    workspace.pointing.value = IDLE;
    void refreshAccount().catch(() => {});
  });

/** An attempt by its number, with its object; null if it has been taken back. */
export function findAttempt(workspace: Workspace, number: number): Pending | null {
  for (const object of workspace.pointed.peek())
    for (const attempt of object.attempts) if (attempt.number === number) return { object, attempt };
  return null;
}

/** Tells whether one of the attempts has not been taken back. */
const areWanted = (workspace: Workspace, together: Together): boolean =>
  together.some(({ attempt }) => findAttempt(workspace, attempt.number) !== null);

const numbersOf = (together: Together): readonly number[] => together.map(({ attempt }) => attempt.number);

async function draw(workspace: Workspace, together: Together): Promise<void> {
  const [{ object, attempt: first }] = together;
  const { picture } = object;
  const numbers = numbersOf(together);
  try {
    change(workspace, numbers, { state: "running" });
    workspace.pointing.value = { at: "sending" };
    const taskId = await send(workspace, picture);
    if (taskId === null) return takeBack(workspace, together);
    workspace.pointing.value = { at: "running" };
    let { jobId } = first;
    if (jobId === null && first.region !== null) {
      jobId = await workspace.runner.creations.do(() => createFor(workspace, together, taskId));
      if (jobId !== null && !areWanted(workspace, together)) return discard(workspace, jobId);
    }
    if (jobId === null) return;
    workspace.pointing.value = { at: "running" };
    change(workspace, numbers, { jobId });
    await takeDrawn(workspace, together, jobId, taskId);
    void prepare(workspace, picture);
  } catch (error) {
    if (workspace.runner.signal.aborted) return;
    // A job that was deleted elsewhere is not needed.
    const isGone = first.jobId !== null && error instanceof SegmentationError && error.status === 404;
    if (areWanted(workspace, together) && !isGone) workspace.problem.value = { error, of: "pointing" };
    takeBack(workspace, together);
  }
}

/** Creates the job of attempts; null if they were taken back meanwhile. @throws SegmentationError */
async function createFor(workspace: Workspace, together: Together, taskId: string): Promise<string | null> {
  const [{ object, attempt: first }] = together;
  const { key } = first;
  const numbers = numbersOf(together);
  // Asked for again by the same key, it is the same request.
  const { continues = continuedBy(workspace, [taskId]) } = first;
  // Additional formats of a job that costs a unit are free.
  const { withEmbedding = costsUnit(together) && (await wantsEmbedding(workspace, object.picture)) } = first;
  for (const [regionIndex, { attempt }] of together.entries())
    change(workspace, [attempt.number], { key, continues, withEmbedding, regionIndex });
  const regions = together.flatMap(({ object: of, attempt }) => {
    const { region, label } = attempt;
    // A picture that is paid for is corrected for nothing.
    const refines = correctedBy(of, attempt);
    return region === null
      ? []
      : [{ ...regionOn(taskId, region), ...(label && { label }), ...(refines !== null && { refines }) }];
  });
  const created = await create(
    workspace.owner,
    {
      type: "image",
      tasks: [taskId],
      regions,
      ...(withEmbedding && { formats: ["embedding"] }),
      ...(continues !== null && { continues }),
    },
    {
      key,
      report: (going: Going) => (workspace.pointing.value = going),
      signal: workspace.runner.signal,
      isWanted: () => areWanted(workspace, together),
    },
  );
  if (created === null) return null;
  batch(() => {
    change(workspace, numbers, created);
    if (areWanted(workspace, together)) workspace.firstJob.value ??= created.jobId;
  });
  return created.jobId;
}

/** Waits for the job of attempts, and takes their masks. @throws SegmentationError if it has failed */
async function takeDrawn(
  workspace: Workspace,
  together: Together,
  jobId: string,
  taskId: string,
): Promise<void> {
  const { owner } = workspace;
  const [{ object, attempt }] = together;
  const found = await onceOnline(async () => {
    const job = await owner.client.waitForJob(jobId, { signal: owner.signal });
    if (job.status !== "failed") return await FoundJob.open(owner, jobId);
    if (!areWanted(workspace, together)) return null;
    if (findAttempt(workspace, attempt.number)?.attempt.withEmbedding === true) return null;
    throw new SegmentationError("internal_error", job.tasks[0]?.error ?? job.error ?? "The job failed.", {
      jobId,
    });
  });
  if (found === null) return drawWithout(workspace, together, jobId);
  noteEmbedding(workspace, found, taskId);
  const instances = await onceOnline(async () => await found.instances(taskId));
  const own = instances.map((each) => Object.assign({}, each, { prompt: null }));
  const all = await withUnder(workspace, object.picture, own);
  batch(() => {
    for (const {
      attempt: { number },
    } of together) {
      const pending = findAttempt(workspace, number);
      if (pending !== null) takeOne(workspace, pending, jobId, all);
    }
  });
}

/** Draws attempts by another job that returns no embedding: it may have failed for that. */
function drawWithout(workspace: Workspace, together: Together, jobId: string): void {
  giveUp(workspace, together[0].object.picture);
  for (const { attempt } of together)
    workspace.pointed.value = replaced(workspace.pointed.value, {
      ...unsent(attempt),
      state: "waiting",
    });
  discard(workspace, jobId);
}

/** Takes the mask of an attempt from those of its job. */
function takeOne(
  workspace: Workspace,
  { object, attempt }: Pending,
  jobId: string,
  all: readonly Instance[],
): void {
  const { number, region, maskIndex, regionIndex } = attempt;
  // An attempt that was opened by its job has all masks of that, unless it is known which one it is.
  const [instance, ...others] = all.filter((each) =>
    maskIndex === undefined
      ? regionIndex === undefined || each.region === regionIndex
      : indexOf(each) === maskIndex,
  );
  const isFirst = region !== null && object.refines === undefined && object.attempts.length === 1;
  if (instance === undefined || (isFirst && isTooUnsure(instance.confidence, workspace.threshold.value))) {
    const sentence = nothingThere(instance?.confidence);
    workspace.pointed.value = withoutAttempt(workspace.pointed.value, number);
    // A workspace that was opened by its job had found nothing before.
    if (region === null) return;
    workspace.problem.value = { error: new Error(sentence), of: "pointing" };
    return discard(workspace, jobId);
  }
  const drawn = new Map(workspace.drawn.value).set(number, instance);
  let pointed = withAttempt(workspace.pointed.value, number, {
    state: "drawn",
    maskIndex: indexOf(instance),
  });
  for (const other of others) {
    pointed = withOther(pointed, object, { ...attempt, jobId }, indexOf(other));
    drawn.set(latestAttempt(pointed), other);
  }
  workspace.drawn.value = drawn;
  workspace.pointed.value = pointed;
}

/** Explains why a point or a box made no object. The service has processed the picture for it. */
const nothingThere = (confidence?: number): string =>
  `${confidence === undefined ? "Nothing was found there." : `The best mask there is only ${Math.round(confidence * 100)}% sure, so it was not kept.`} The unit is spent. Point at a different spot on the object, or draw a box around it.`;

const indexOf = ({ id }: Instance): number => refinedOf(id)?.maskIndex ?? 0;

/** Notes something new of attempts. */
export function change(workspace: Workspace, numbers: readonly number[], news: Partial<Attempt>): void {
  workspace.pointed.value = numbers.reduce(
    (pointed, number) => withAttempt(pointed, number, news),
    workspace.pointed.value,
  );
}

/** Drops failed attempts; their objects keep the earlier ones. Those that this browser has drawn are new again. */
export function takeBack(workspace: Workspace, together: readonly Pending[]): void {
  for (const {
    attempt: { number },
  } of together) {
    const now = findAttempt(workspace, number)?.attempt;
    workspace.pointed.value =
      now?.isDecoded === true
        ? replaced(workspace.pointed.value, unsent(now))
        : withoutAttempt(workspace.pointed.value, number);
  }
}
