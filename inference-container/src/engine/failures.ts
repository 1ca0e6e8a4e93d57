import { interrupted, type TaskFailure } from "../tasks/failure.ts";

/** The engine died over a task. */
export const crash = (): TaskFailure =>
  interrupted("engine_crashed", "The inference engine ended unexpectedly while it worked on this task.");

/**
 * The engine was killed because of a task: one of its runs of a graph took longer than `ms`, or its own work went on for
 * longer without a word.
 */
export const timeout = (ms: number): TaskFailure =>
  interrupted(
    "engine_timeout",
    `A single step of the task, such as one run of the model, took longer than ${ms / 1_000} seconds and was stopped.`,
  );
