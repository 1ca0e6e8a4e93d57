import type { Region } from "../../inference-container/src/models/model.ts";
import type { Mask } from "./measures/mask.ts";

/** One picture and what to look for in it. */
export interface Question {
  readonly path: string;
  /** The picture's size as its labels give it. */
  readonly width: number;
  readonly height: number;
  readonly prompts: readonly string[];
  /** The lowest score to report, 0 to 1. */
  readonly threshold: number;
  /** Where to draw, whatever is there. */
  readonly regions: readonly Region[];
}

export interface Answer {
  /** `prompt` is the index of the prompt. */
  readonly found: readonly { readonly prompt: number; readonly score: number; readonly mask: Mask }[];
  /** A mask for each region; null if the subject cannot draw regions. */
  readonly drawn: readonly Mask[] | null;
  /** Prompts that the model could not serve, and masks that were left out. */
  readonly notices: readonly string[];
  readonly ms: number;
}

/** What is evaluated: a model folder, or a service. */
export interface Subject {
  /** One line: which model, and where. */
  readonly name: string;
  /** What the milliseconds of its answers cover. */
  readonly timed: string;
  /** @throws Failure if there is no answer */
  ask(question: Question): Promise<Answer>;
}
