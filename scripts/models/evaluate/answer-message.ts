import { RegionPoint } from "@segmentation/protocol";
import { z } from "zod";

const RleMessage = z.object({ size: z.tuple([z.int(), z.int()]), counts: z.string() });
export type RleMessage = z.infer<typeof RleMessage>;

/** What the process that has the model sends about one picture; `ms` is from the decoded picture to the finds' masks. */
export const AnswerMessage = z.object({
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

/** What that process is asked; see `Question`. */
export const QuestionMessage = z.object({
  path: z.string(),
  width: z.number(),
  height: z.number(),
  prompts: z.array(z.string()),
  threshold: z.number(),
  regions: z.array(
    z.union([
      z.object({ box: z.tuple([z.number(), z.number(), z.number(), z.number()]) }),
      z.object({ points: z.array(RegionPoint) }),
    ]),
  ),
});
