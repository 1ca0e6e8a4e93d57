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

const REASONS: Partial<Record<Overview["access"]["reason"], Obstacle>> = {
  trial_exhausted: { title: "Your trial is used up", text: "A plan goes on from here." },
  trial_expired: { title: "Your trial is over", text: "A plan goes on from here." },
  billing_delinquent: { title: "A payment is overdue", text: "Jobs can be made again once it is paid." },
};

const pictures = (count: number): string => (count === 1 ? "1 picture" : `${count} pictures`);

/** Why a job of so many pictures, or of a clip, would be refused; null if the overview has nothing against it. */
export function obstacleTo({ access, trial }: Overview, type: WorkType, count: number): Obstacle | null {
  if (!access.canCreateJobs)
    return (
      REASONS[access.reason] ?? { title: "No jobs at the moment", text: "See what your account may do." }
    );
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
