import type { Answer } from "segmentation-client";
import type { WorkType } from "./picture.ts";

/** What stands against a job before anything is sent, by what the account's overview says. */
export interface Obstacle {
  readonly title: string;
  readonly text: string;
  /** So many pictures are allowed: the others could be left out. */
  readonly keep?: number;
}

type Overview = Pick<Answer<"getAccountOverview">, "access" | "trial">;

const ON_A_PLAN = "With the paid plan you go on at once. What is on the screen stays.";

const REASONS: Partial<Record<Overview["access"]["reason"], Obstacle>> = {
  trial_exhausted: { title: "Your trial is used up", text: ON_A_PLAN },
  trial_expired: { title: "Your trial is over", text: ON_A_PLAN },
  billing_delinquent: { title: "New jobs are stopped", text: "The usage page says why, and how to go on." },
};

const DAY_IS_USED: Obstacle = {
  title: "Today’s limit is reached",
  text: "The next day begins at 00:00 UTC. The service’s operator can raise the limit.",
};

/** The overview doesn't tell the two apart. */
const NOT_NOW: Obstacle = {
  title: "No jobs at the moment",
  text: "The trial wants a verified e-mail address, and has a number of pictures per day. A plan does without.",
};

const pictures = (count: number): string => (count === 1 ? "1 picture" : `${count} pictures`);

/** Why a job of so many pictures, or of a clip, would be refused; null if the overview has nothing against it. */
export function obstacleTo({ access, trial }: Overview, type: WorkType, count: number): Obstacle | null {
  if (!access.canCreateJobs)
    return REASONS[access.reason] ?? (access.mode === "paid" ? DAY_IS_USED : NOT_NOW);
  if (type === "video")
    return access.videoAllowed ? null : { title: "Clips need a plan", text: "The trial is for pictures." };
  const most = access.maxImageTasksPerJob;
  if (count > most)
    return {
      title: `${pictures(most)} per job`,
      text: `You have ${count}. ${access.mode === "trial" ? "A plan allows more." : "The others make a job of their own."}`,
      keep: most,
    };
  if (access.mode === "trial" && count > trial.remainingTokens)
    return {
      title: `${pictures(trial.remainingTokens)} left in your trial`,
      text: `This job has ${count}.`,
      keep: trial.remainingTokens,
    };
  return null;
}
