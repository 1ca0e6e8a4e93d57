import { RegionPoint } from "@segmentation/protocol";
import { z } from "zod";
import type { Mask } from "./measures/mask.ts";

/** One picture and what to look for in it. It crosses to the process that has the model as it is. */
export const Question = z.object({
  path: z.string(),
  /** The picture's size as its labels give it. */
  width: z.number(),
  height: z.number(),
  prompts: z.array(z.string()).readonly(),
  /** The lowest score to report, 0 to 1. */
  threshold: z.number(),
  /** Where to draw, whatever is there. */
  regions: z
    .array(
      z.union([
        z.object({ box: z.tuple([z.number(), z.number(), z.number(), z.number()]).readonly() }),
        z.object({ points: z.array(RegionPoint).readonly() }),
      ]),
    )
    .readonly(),
});
export type Question = z.infer<typeof Question>;

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

const RleMessage = z.object({ size: z.tuple([z.int(), z.int()]), counts: z.string() });
export type RleMessage = z.infer<typeof RleMessage>;

/** The answer of the process that has the model; `ms` is from the decoded picture to the masks. */
const AnswerMessage = z.object({
  kind: z.literal("answer"),
  found: z.array(z.object({ prompt: z.int(), score: z.number(), mask: RleMessage })),
  drawn: z.array(RleMessage).nullable(),
  notices: z.array(z.string()),
  ms: z.number(),
});
export type AnswerMessage = z.infer<typeof AnswerMessage>;

/** A message of the process that has the model; `error` is a sentence. */
export const ModelMessage = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready"), name: z.string() }),
  AnswerMessage,
  z.object({ kind: z.literal("failed"), error: z.string() }),
]);
export type ModelMessage = z.infer<typeof ModelMessage>;
