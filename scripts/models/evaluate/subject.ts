import type { Region } from "../../../inference-container/src/models/model.ts";
import type { Mask } from "./measures/mask.ts";

/** One picture as it is asked about. */
export interface Question {
  readonly path: string;
  /** The picture's size as its labels say. */
  readonly width: number;
  readonly height: number;
  readonly prompts: readonly string[];
  /** The lowest score of a find, 0 to 1. */
  readonly threshold: number;
  /** Where to draw, whatever is there. */
  readonly regions: readonly Region[];
}

export interface Answer {
  /** `prompt` is the index of the prompt. */
  readonly found: readonly { readonly prompt: number; readonly score: number; readonly mask: Mask }[];
  /** A mask for each region; null if the subject cannot draw regions. */
  readonly drawn: readonly Mask[] | null;
  /** What it says of prompts that the model cannot look for, and of masks left out. */
  readonly notices: readonly string[];
  readonly ms: number;
}

/** What is evaluated: a model folder, or a service. */
export interface Subject {
  /** One line: which model in which place. */
  readonly name: string;
  /** What the milliseconds of its answers count, from where to where. */
  readonly timed: string;
  /** @throws Failure if there is no answer */
  ask(question: Question): Promise<Answer>;
}
