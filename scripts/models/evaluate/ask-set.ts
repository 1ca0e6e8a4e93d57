import { ProgressBar, type Output } from "../../../inference-container/src/progress-bar.ts";
import type { Mask } from "./measures/mask.ts";
import type { LabelledObject } from "./labelled-set.ts";
import type { FoundObject } from "./queries.ts";
import type { SetOnDisk } from "./read-set.ts";
import type { Subject } from "./subject.ts";

/** What a subject answered about a whole set. */
export interface SetAnswers {
  readonly found: readonly FoundObject[];
  /** What it drew in the labelled boxes, crowds aside; null if it cannot. */
  readonly drawn: readonly { readonly object: LabelledObject; readonly mask: Mask }[] | null;
  /** Milliseconds for each picture. */
  readonly ms: readonly number[];
  /** What it said of categories that the model cannot look for, and of masks left out; each sentence once. */
  readonly notices: readonly string[];
}

/** Asks about all categories in every picture of a set, one picture after another, and shows how far it is. */
export async function askSet(
  subject: Subject,
  { set, pathOf }: SetOnDisk,
  threshold: number,
  output: Output,
): Promise<SetAnswers> {
  const total = set.pictures.length;
  const bar = new ProgressBar(output, { total, steps: 10, amount: (done) => `${done} of ${total} pictures` });
  const prompts = set.categories.map(({ name }) => name);
  const found: FoundObject[] = [];
  let drawn: { object: LabelledObject; mask: Mask }[] | null = [];
  const ms: number[] = [];
  const notices = new Set<string>();
  try {
    for (const [picture, { file, width, height }] of set.pictures.entries()) {
      const boxed = set.objects.flatMap((object) =>
        object.picture === picture && !object.crowd && object.box !== null
          ? [{ object, box: object.box }]
          : [],
      );
      const boxes = boxed.map(({ box }) => box);
      const answer = await subject.ask({ path: pathOf(file), width, height, prompts, threshold, boxes });
      for (const { prompt, score, mask } of answer.found)
        found.push({ picture, category: prompt, score, mask });
      for (const [at, { object }] of boxed.entries()) {
        const mask = answer.drawn?.[at];
        if (mask === undefined) drawn = null;
        else drawn?.push({ object, mask });
      }
      ms.push(answer.ms);
      for (const notice of answer.notices) notices.add(notice);
      bar.add(1);
    }
  } finally {
    bar.end();
  }
  return { found, drawn, ms, notices: [...notices] };
}
