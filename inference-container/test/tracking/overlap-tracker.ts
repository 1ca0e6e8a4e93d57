import type { Corners } from "@segmentation/masks";
import { boxIou } from "../../src/models/box.ts";
import type { TrackerDetection } from "../../src/tracking/tracker.ts";

interface LastSeen {
  readonly id: number;
  promptIndex: number;
  timeSec: number;
  box: Corners;
}

/** The plain tracker for comparison: takes the pairs of greatest overlap first, down to an IoU of 0.3 with the last box. */
export class OverlapTracker {
  #objects: LastSeen[] = [];
  #lastId = 0;

  update(timeSec: number, detections: readonly TrackerDetection[]): (number | undefined)[] {
    this.#objects = this.#objects.filter((object) => timeSec - object.timeSec <= 3);
    const pairs = this.#objects.flatMap((object) =>
      detections.flatMap((detection) => {
        const iou = boxIou(object.box, detection.box);
        return object.promptIndex === detection.promptIndex && iou >= 0.3 ? [{ object, detection, iou }] : [];
      }),
    );
    const owners = new Map<TrackerDetection, LastSeen>();
    const taken = new Set<LastSeen>();
    for (const { object, detection } of pairs.toSorted((a, b) => b.iou - a.iou)) {
      if (taken.has(object) || owners.has(detection)) continue;
      taken.add(object);
      owners.set(detection, object);
    }
    return detections.map((detection) => {
      const object = owners.get(detection) ?? (detection.faint ? undefined : this.#begin(detection, timeSec));
      if (object === undefined) return undefined;
      object.timeSec = timeSec;
      object.box = detection.box;
      return object.id;
    });
  }

  #begin({ promptIndex, box }: TrackerDetection, timeSec: number): LastSeen {
    const object = { id: ++this.#lastId, promptIndex, timeSec, box };
    this.#objects.push(object);
    return object;
  }
}
