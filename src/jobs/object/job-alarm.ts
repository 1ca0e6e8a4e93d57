import * as archives from "../rules/archive.ts";
import { forgotten, decided } from "../rules/lifecycle.ts";
import type { JobState } from "../rules/state.ts";
import * as tasks from "../rules/tasks.ts";
import { log } from "../../shared/log.ts";
import { archivesPrefix } from "../../shared/bucket/object-keys.ts";
import { taskKey } from "../rules/lease.ts";
import type { Platform } from "../../platform.ts";
import type { JobCell } from "./job-cell.ts";

/** Applies the effects of time to a job when its alarm goes off. `defer` takes work that need not finish first. */
export async function onAlarm(
  cell: JobCell,
  platform: Platform,
  defer: (work: Promise<void>) => void,
): Promise<void> {
  const now = Date.now();
  const { policy } = platform;
  const state = cell.state;
  if (state === null) return;
  if (state.phase === "running" && now >= state.definition.createdAt + policy.retentionMs) {
    await cell.commit(forgotten(state, now));
    defer(cancelLeases(platform, state));
  } else if (state.phase === "prepared") {
    await decidePrepared(cell, platform, state, now);
  } else if (state.phase === "running") {
    const after = tasks.tickTasks(state, policy, now);
    if (after !== state) await cell.commit(after);
    defer(cancelLostLeases(platform, state, after, now));
    await dropExpiredArchives(platform, after, now);
    // Another event may have come in between.
    await cell.take((latest) => ({ state: archives.tickArchive(latest, policy, now), taken: true }));
  }
}

/**
 * Handles an interrupted request that had prepared the job. The account's list shows if it ended before or after its acceptance.
 */
async function decidePrepared(
  cell: JobCell,
  platform: Platform,
  { definition }: JobState,
  now: number,
): Promise<void> {
  if (now < definition.createdAt + platform.policy.prepareMs) return;
  const acceptance = await platform.at(definition.database).jobs.acceptance(definition.jobId);
  const latest = cell.state;
  if (latest?.phase === "prepared") await cell.commit(decided(latest, acceptance));
}

/**
 * Deletes the archive's object before its record, so that a crash between the two leaves nothing behind; and the objects of
 * interrupted builders.
 */
async function dropExpiredArchives(platform: Platform, state: JobState, now: number): Promise<void> {
  const step = state.archive?.step;
  if (step?.at !== "ready" || step.expiresAt > now) return;
  const { accountId, jobId } = state.definition;
  await platform.media.deletePrefix(archivesPrefix(accountId, jobId));
}

/** Tells the inference service which leases have ended, if it is reachable. */
async function cancelLostLeases(
  platform: Platform,
  before: JobState,
  after: JobState,
  now: number,
): Promise<void> {
  const { jobId, lane } = before.definition;
  const lost = before.tasks.flatMap(({ taskId, step, pool = null }, i) =>
    step.at === "leased" && after.tasks[i]?.step.at !== "leased"
      ? [{ taskId, lease: step.lease, pool, lateMs: now - step.deadline }]
      : [],
  );
  for (const { taskId, lease, lateMs } of lost)
    log("warn", "lease_expired", { jobId, taskId, lease, lane, lateMs });
  await cancel(platform, jobId, lost);
}

/** Tells the inference service that all leases of a job have ended, if it is reachable. */
export async function cancelLeases(
  platform: Platform,
  { definition, tasks: records }: JobState,
): Promise<void> {
  const held = records.flatMap(({ taskId, step, pool = null }) =>
    step.at === "leased" ? [{ taskId, lease: step.lease, pool }] : [],
  );
  await cancel(platform, definition.jobId, held);
}

async function cancel(
  { inference }: Platform,
  jobId: string,
  leases: readonly { taskId: string; lease: number; pool: string | null }[],
): Promise<void> {
  await Promise.all(
    leases.map(({ taskId, lease, pool }) => inference.cancel(taskKey(jobId, taskId, lease), taskId, pool)),
  );
}
