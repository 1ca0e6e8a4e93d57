import type { Answer } from "segmentation-client";
import { counted } from "../../text/format.ts";
import type { WorkspaceType } from "./inspect-file.ts";

/** Reason why a job would be refused, known from the account's overview before anything is sent. */
export interface Obstacle {
  readonly title: string;
  readonly text: string;
  /** Number of pictures that are allowed: the others could be left out. */
  readonly keep?: number;
}

/** About how many frames of a video are processed: the service counts them exactly. */
export const framesOf = (seconds: number, fps: number): number => Math.max(1, Math.ceil(seconds * fps));

type Overview = Pick<Answer<"getAccountOverview">, "access" | "trial">;

const ON_A_PLAN = "Upgrade to the paid plan to continue right away. Your work stays on the screen.";

const REASONS: Partial<Record<Overview["access"]["reason"], Obstacle>> = {
  trial_exhausted: { title: "Your trial is used up", text: ON_A_PLAN },
  trial_expired: { title: "Your trial has ended", text: ON_A_PLAN },
  billing_delinquent: { title: "New jobs are blocked", text: "The usage page says why and what to do." },
};

const DAY_IS_USED: Obstacle = {
  title: "Today’s limit is reached",
  text: "It resets at 00:00 UTC. The service’s operator can raise it.",
};

/** The overview doesn't distinguish the two. */
const NOT_NOW: Obstacle = {
  title: "You can’t create jobs right now",
  text: "The trial requires a verified email address and has a daily limit of pictures. The paid plan does not.",
};

/** Describes the limits and cost of a job, before anything is chosen. */
export function limitsInWords(state: Overview | null): string {
  if (state === null) return "";
  const { access, trial } = state;
  // Its notice names the obstacle.
  if (!access.canCreateJobs) return "";
  const most = `up to ${counted(access.maxImageTasksPerJob, "picture")} per job`;
  return access.mode === "trial"
    ? `Your trial has ${counted(trial.remainingTokens, "unit")} left: one per picture, ${most}, no videos.`
    : `A picture is 1 unit, ${most}; a video 1 unit per processed frame.`;
}

/** Why a job of this many pictures, or of a video, would be refused; null if the overview does not rule it out. */
export function obstacleTo({ access, trial }: Overview, type: WorkspaceType, count: number): Obstacle | null {
  if (!access.canCreateJobs)
    return REASONS[access.reason] ?? (access.mode === "paid" ? DAY_IS_USED : NOT_NOW);
  if (type === "video")
    return access.videoAllowed
      ? null
      : { title: "Videos require the paid plan", text: "The trial only covers pictures." };
  const most = access.maxImageTasksPerJob;
  if (count > most)
    return {
      title: `At most ${counted(most, "picture")} per job`,
      text: `You have ${count}. ${access.mode === "trial" ? "The paid plan allows more." : "Put the others in another job."}`,
      keep: most,
    };
  if (access.mode === "trial" && count > trial.remainingTokens)
    return {
      title: `${counted(trial.remainingTokens, "unit")} left in your trial`,
      text: `This job takes ${count}, one per picture.`,
      keep: trial.remainingTokens,
    };
  return null;
}
