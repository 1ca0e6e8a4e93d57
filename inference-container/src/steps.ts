import { setImmediate as turn } from "node:timers/promises";
import type { TaskHooks } from "./messages.ts";

/**
 * Ends a step of work that blocks the thread: other work runs, and a message that cancels the task arrives.
 * @throws the signal's reason if the task was canceled
 */
export type Step = () => Promise<void>;

/** The steps of a task, each of which shows the watchdog that the task is alive. */
export const stepsOf =
  ({ progress, signal }: Pick<TaskHooks, "progress" | "signal">): Step =>
  async () => {
    await turn();
    signal.throwIfAborted();
    progress(0, 1);
  };
