import { setTimeout as sleep } from "node:timers/promises";
import { counted } from "../../../client/src/cli/progress/words.ts";
import { ErasureReport } from "../../../src/operator/contract/operator.ts";
import type { Outcome } from "../../shared/database/print.ts";

/** Runs that change nothing before the command leaves the rest to the sweep. */
const IDLE_RUNS = 5;

/** Describes the progress of an unfinished erasure. */
function progressOf({ endpointsLeft, jobsLeft, uploadsLeft, filesLeft, deleted }: ErasureReport): string {
  const left = [
    counted(jobsLeft, "job"),
    counted(uploadsLeft, "upload"),
    ...(endpointsLeft > 0 ? [counted(endpointsLeft, "webhook endpoint")] : []),
    ...(filesLeft ? ["files"] : []),
  ];
  return `${deleted.toLocaleString("en")} deleted; left: ${left.join(", ")}`;
}

function sentence({ state, checksAgainAt, customerIds }: ErasureReport): string {
  const stripe =
    customerIds.length === 0
      ? ""
      : " The customers still exist at Stripe: cancel their subscriptions and delete them there, as your accounting rules allow.";
  switch (state) {
    case "erased":
      return `The account is erased.${stripe}`;
    case "emptied":
      return `Nothing is left of the account. The sweep checks once more after ${new Date(checksAgainAt).toISOString()}.${stripe}`;
    case "erasing":
      return "Something could not be erased now. The hourly sweep continues; the log has erasure_delayed.";
  }
}

/**
 * Erases an account: asks the Worker again and again, because each of its runs takes a bounded time.
 * @param ask asks the Worker for one run, and returns its report
 * @param onProgress called after each run with the remaining data
 */
export async function eraseAccount(
  ask: () => Promise<unknown>,
  onProgress: (progress: string) => void,
  pauseMs: number,
  signal?: AbortSignal,
): Promise<Outcome> {
  let report = ErasureReport.parse(await ask());
  for (let idle = 0; report.state === "erasing" && idle < IDLE_RUNS;) {
    onProgress(progressOf(report));
    if (idle > 0) await sleep(pauseMs, undefined, signal && { signal });
    report = ErasureReport.parse(await ask());
    idle = report.deleted > 0 ? 0 : idle + 1;
  }
  const { accountId, state, jobsLeft, uploadsLeft, endpointsLeft, filesLeft, checksAgainAt, customerIds } =
    report;
  return {
    result: {
      accountId,
      state,
      jobsLeft,
      uploadsLeft,
      endpointsLeft,
      filesLeft: filesLeft ? "yes" : "no",
      checksAgainAt: new Date(checksAgainAt).toISOString(),
      customerIds: customerIds.length === 0 ? null : customerIds.join(", "),
    },
    summary: sentence(report),
    exitCode: state === "erasing" ? 1 : 0,
  };
}
