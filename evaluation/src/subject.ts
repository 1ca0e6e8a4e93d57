import type { Region } from "@segmentation/masks";
import type { Mask } from "./measures/mask.ts";

/** One picture and the prompts to find in it. */
export interface Question {
  readonly path: string;
  /** The picture's size in its labels. */
  readonly width: number;
  readonly height: number;
  readonly prompts: readonly string[];
  /** The lowest score to report, 0 to 1. */
  readonly threshold: number;
  /** Regions to draw in any case. */
  readonly regions: readonly Region[];
}

export interface Answer {
  /** `prompt` is the index of the prompt. */
  readonly found: readonly { readonly prompt: number; readonly score: number; readonly mask: Mask }[];
  /** A mask for each region; null if the subject cannot draw regions. */
  readonly drawn: readonly Mask[] | null;
  /** Prompts that the model could not serve, and masks left out. */
  readonly notices: readonly string[];
  readonly ms: number;
}

/** The subject of an evaluation: a model folder, or a service. */
export interface Subject {
  /** The model and its place, in one line. */
  readonly name: string;
  /** Meaning of the milliseconds of its answers. */
  readonly timed: string;
  /** @throws Failure if there is no answer */
  ask(question: Question): Promise<Answer>;
}
