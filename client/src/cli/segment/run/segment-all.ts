import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { yoloDataset } from "@segmentation/masks";
import type { Answer } from "../../../api/types.ts";
import { LIMITS } from "../../../contract.ts";
import { mapParallel } from "../../../http/parallel.ts";
import type { SegmentationClient } from "../../../node/client.ts";
import { writeWhole } from "../../../node/save.ts";
import { categoryOf } from "../../../results/coco.ts";
import { LONG_WORK } from "../../account/client.ts";
import { Failure } from "../../failure.ts";
import type { Found } from "../inputs/find-inputs.ts";
import { type Pending, survey } from "../inputs/survey.ts";
import type { Journal } from "../journal/journal.ts";
import type { Order } from "../order.ts";
import { ANNOTATIONS, mergeAnnotations } from "../output/merge-annotations.ts";
import type { Store } from "../output/store.ts";
import { Turnstile, type Work, segmentBatch, takeUp } from "./carry-out.ts";

/** The maximum number of pictures of a job. */
const MOST_PICTURES = 100;
/**
 * The number of jobs that run concurrently: one is segmented while the next is uploaded and the previous one
 * downloaded.
 */
const JOBS = 4;
/** The number of concurrent uploads. */
const UPLOADS = 6;
/** The most attempts at jobs and uploads that no longer exist. */
const ROUNDS = 3;

export interface Segmenting {
  readonly client: (maxRetries?: number) => Promise<SegmentationClient>;
  readonly journal: Journal;
  readonly order: Order;
  /** An absolute path. */
  readonly out: string;
  readonly store: Store;
  readonly found: readonly Found[];
  readonly signal: AbortSignal;
  /** Called with the pending files before the first request. */
  readonly onBegin: (ids: readonly string[], areClips: boolean) => void;
  readonly onShare: Work["onShare"];
  readonly onBusy: Work["onBusy"];
  readonly onSent: Work["onSent"];
  /** Receives the documents that the merged one lacks, because a person has deleted or damaged them. */
  readonly onMissing: (paths: readonly string[]) => void;
}

/**
 * Segments all files without results in the journal, and resumes the journal's unfinished jobs. Sends nothing to the
 * service if there is nothing to do.
 */
export async function segmentAll(segmenting: Segmenting): Promise<void> {
  const { journal, order, out, store, signal } = segmenting;
  try {
    for (let round = 0; round < ROUNDS; round++) if (!(await segmentRound(segmenting, round === 0))) break;
  } finally {
    // This also covers outcomes of a run that was killed before it merged them.
    if (journal.state.isUnmerged && order.formats.includes("coco") && !signal.aborted) {
      segmenting.onMissing(await mergeAnnotations(journal, order.prompts, out));
      await store.copy(ANNOTATIONS, new Blob([await readFile(join(out, ANNOTATIONS))]), signal);
    }
  }
}

/** Does the work that is pending now. Returns false if there is none. */
async function segmentRound(segmenting: Segmenting, isFirst: boolean): Promise<boolean> {
  const { journal, order, out, found, signal } = segmenting;
  const pending = await survey(journal, found, order.retriesFailed && isFirst, signal);
  const open = [...journal.state.open.values()];
  if (pending.length === 0 && open.length === 0) return false;
  const ids = [...pending, ...open.flatMap(({ inputs }) => inputs)].map(({ id }) => id);
  const areClips =
    pending.every(({ kind }) => kind === "clip") && open.every(({ request }) => request.type === "video");
  if (isFirst) segmenting.onBegin(ids, areClips);
  const { access } = await (await segmenting.client()).api.getAccountOverview({}, { signal });
  if (pending.length > 0) assertAllowed(access);
  if (order.formats.includes("yolo")) {
    const others = order.regions.map(categoryOf).filter((name) => !order.prompts.includes(name));
    const text = yoloDataset([...order.prompts, ...new Set(others)]);
    await writeWhole(join(out, "data.yaml"), text);
    await segmenting.store.copy("data.yaml", new Blob([text]), signal);
  }
  const work: Work = {
    ...segmenting,
    client: await segmenting.client(LONG_WORK),
    formats: order.formats,
    uploads: UPLOADS,
    uploading: new Turnstile(),
  };
  const tasks = [
    ...open.map((job) => () => takeUp(work, job)),
    ...batches(pending, order, access.maxImageTasksPerJob).map((batch) => () => segmentBatch(work, batch)),
  ];
  // After a failure the jobs in progress still run to their end: their results are paid for.
  const atATime = Math.max(1, Math.min(JOBS, access.maxActiveJobs));
  await mapParallel(tasks, atATime, undefined, (task) => task());
  return true;
}

/** Groups files into jobs: each video alone, pictures with the same prompts together, up to a job's maximum. */
function batches(pending: readonly Pending[], { regions }: Order, allowed: number): Pending[][] {
  const most = Math.max(1, Math.min(MOST_PICTURES, allowed));
  const size = regions.length === 0 ? most : Math.min(most, Math.floor(LIMITS.regions / regions.length));
  const pictures = new Map<string | undefined, Pending[]>();
  for (const each of pending) {
    if (each.kind === "clip") continue;
    const own = JSON.stringify(each.prompts);
    const same = pictures.get(own);
    if (same === undefined) pictures.set(own, [each]);
    else same.push(each);
  }
  const clips = pending.filter(({ kind }) => kind === "clip");
  return [
    ...[...pictures.values()].flatMap((same) =>
      Array.from({ length: Math.ceil(same.length / size) }, (_, i) => same.slice(i * size, (i + 1) * size)),
    ),
    ...clips.map((clip) => [clip]),
  ];
}

type Access = Answer<"getAccountOverview">["access"];

const REASONS: Readonly<Partial<Record<Access["reason"], string>>> = {
  trial_expired: "The free trial has expired. Upgrade the account to continue.",
  trial_exhausted: "The free trial's units are used up. Upgrade the account to continue.",
  billing_delinquent: "A payment is overdue. Pay it, then run the same command again.",
};

/** @throws Failure if the account may create no jobs, before anything is uploaded */
function assertAllowed({ canCreateJobs, reason }: Access): void {
  if (canCreateJobs) return;
  throw new Failure(
    REASONS[reason] ??
      "The account cannot create jobs now: its e-mail address is not verified, or it has reached its daily limit. See segmentation-client account.",
  );
}
