import { z } from "zod";

/** What the demo reads of masks.json: not the masks themselves. */
export const MasksFile = z.object({
  version: z.literal(1),
  frames: z.array(
    z.object({
      timeSec: z.number(),
      objects: z.array(
        z.object({ objectId: z.int(), promptIndex: z.int().min(0), score: z.number().min(0).max(1) }),
      ),
    }),
  ),
});
export type MasksFile = z.infer<typeof MasksFile>;

/** One object throughout a clip; times in seconds. */
export interface Track {
  readonly objectId: number;
  readonly promptIndex: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
  /** The frames that it is on. */
  readonly frames: number;
  readonly bestScore: number;
}

/** The objects of a clip, in the order that they come into sight. */
export function tracksOf({ frames }: MasksFile): Track[] {
  const tracks = new Map<number, Track>();
  for (const { timeSec, objects } of frames) {
    for (const { objectId, promptIndex, score } of objects) {
      const before = tracks.get(objectId);
      tracks.set(objectId, {
        objectId,
        promptIndex,
        firstSeen: before?.firstSeen ?? timeSec,
        lastSeen: timeSec,
        frames: (before?.frames ?? 0) + 1,
        bestScore: Math.max(before?.bestScore ?? 0, score),
      });
    }
  }
  return [...tracks.values()];
}
