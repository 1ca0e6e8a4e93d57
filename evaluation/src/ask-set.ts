import type { Region } from "@segmentation/masks";
import { ProgressBar, type Output } from "../../inference-container/src/progress-bar.ts";
import type { LabelledObject } from "./labelled-set.ts";
import { innermost } from "./measures/innermost.ts";
import type { Mask } from "./measures/mask.ts";
import type { FoundObject } from "./queries.ts";
import type { SetOnDisk } from "./read-set.ts";
import type { Subject } from "./subject.ts";

/** The mask for a labeled object, drawn in its box or at a point on it. */
export interface DrawnObject {
  readonly object: LabelledObject;
  readonly by: "box" | "point";
  readonly mask: Mask;
}

/** A subject's answers about a whole set. */
export interface SetAnswers {
  readonly found: readonly FoundObject[];
  /** The masks of the labeled objects, without crowds; null if it can't draw regions. */
  readonly drawn: readonly DrawnObject[] | null;
  /** Milliseconds for each picture. */
  readonly ms: readonly number[];
  /** Notices about categories that the model can't find, and about masks left out; each sentence once. */
  readonly notices: readonly string[];
}

/**
 * Asks about all categories in every picture of a set, one picture after another, and shows the progress.
 * @param how the lowest score of a detection, and a flag to draw the labeled objects too
 */
export async function askSet(
  subject: Subject,
  { set, pathOf }: SetOnDisk,
  { threshold, draws }: { readonly threshold: number; readonly draws: boolean },
  output: Output,
): Promise<SetAnswers> {
  const total = set.pictures.length;
  const bar = new ProgressBar(output, { total, steps: 10, amount: (done) => `${done} of ${total} pictures` });
  const prompts = set.categories.map(({ name }) => name);
  const found: FoundObject[] = [];
  let drawn: DrawnObject[] | null = [];
  const ms: number[] = [];
  const notices = new Set<string>();
  try {
    for (const [picture, { file, width, height }] of set.pictures.entries()) {
      const places = set.objects
        .filter((object) => draws && object.picture === picture && !object.crowd)
        .flatMap(placesOf);
      const regions = places.map(({ region }) => region);
      const answer = await subject.ask({ path: pathOf(file), width, height, prompts, threshold, regions });
      for (const { prompt, score, mask } of answer.found)
        found.push({ picture, category: prompt, score, mask });
      for (const [at, { object, by }] of places.entries()) {
        const mask = answer.drawn?.[at];
        if (mask === undefined) drawn = null;
        else drawn?.push({ object, by, mask });
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

/** Regions for an object: its box, and its innermost point. */
function placesOf(object: LabelledObject): (Pick<DrawnObject, "object" | "by"> & { region: Region })[] {
  const { box, mask } = object;
  const point = innermost(mask);
  return [
    ...(box === null ? [] : [{ object, by: "box" as const, region: { box } }]),
    ...(point === null
      ? []
      : [{ object, by: "point" as const, region: { points: [{ ...point, label: 1 as const }] } }]),
  ];
}
