/** Rates how well ids follow known objects. */
import { assign } from "../../src/tracking/assignment.ts";
import type { TrackerDetection } from "../../src/tracking/tracker.ts";
import type { Frame } from "./film.ts";

interface AnyTracker {
  update(timeSec: number, detections: readonly TrackerDetection[]): (number | undefined)[];
}

export interface Scores {
  /** IDF1 of all videos together: E. Ristani et al., "Performance Measures and a Data Set for Multi-Target, Multi-Camera Tracking", 2016. */
  readonly idf1: number;
  /** The number of times that an object's id differs from the one before, per video. */
  readonly switches: number;
  /** The share of objects whose last id is their first. */
  readonly kept: number;
}

/** Runs a fresh tracker over each video. Detections that show no single object don't count. */
export function scoresOf(clips: readonly (readonly Frame[])[], fresh: () => AnyTracker): Scores {
  const sum = { matched: 0, known: 0, given: 0, switches: 0, objects: 0, kept: 0 };
  for (const clip of clips) {
    const tracker = fresh();
    const idsByActor = new Map<number, number[]>();
    for (const { timeSec, detections } of clip) {
      const ids = tracker.update(timeSec, detections);
      for (const [i, { actor }] of detections.entries()) {
        if (actor === null) continue;
        sum.known++;
        const id = ids[i];
        if (id !== undefined) idsByActor.set(actor, [...(idsByActor.get(actor) ?? []), id]);
      }
    }
    const histories = [...idsByActor.values()];
    const distinct = [...new Set(histories.flat())];
    const common = histories.map((ids) => distinct.map((id) => ids.filter((one) => one === id).length));
    sum.matched += assign(common).reduce((total, column, row) => total + (common[row]?.[column] ?? 0), 0);
    sum.given += histories.flat().length;
    sum.switches += histories.flatMap((ids) => ids.filter((id, i) => i > 0 && id !== ids[i - 1])).length;
    sum.objects += histories.length;
    sum.kept += histories.filter((ids) => ids[0] === ids.at(-1)).length;
  }
  return {
    idf1: (2 * sum.matched) / (sum.known + sum.given),
    switches: sum.switches / clips.length,
    kept: sum.kept / sum.objects,
  };
}
