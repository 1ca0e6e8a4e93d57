import { interrupted, type TaskFailure } from "../tasks/failure.ts";

/** The engine died over a task. */
export const crash = (): TaskFailure =>
  interrupted("engine_crashed", "The inference engine ended unexpectedly while it worked on this task.");

/** The engine was killed because of a task that took longer than `ms`, or longer with one frame. */
export const timeout = (ms: number): TaskFailure =>
  interrupted(
    "engine_timeout",
    `The picture, or a frame of the video, took longer than ${ms / 1_000} seconds and was stopped.`,
  );
