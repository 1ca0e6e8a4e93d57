import { z } from "zod";

/** The part of masks.json that the demo reads, without the masks. */
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

/** One object across a clip; times in seconds. */
export interface Track {
  readonly objectId: number;
  readonly promptIndex: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
  /** How many frames show it. */
  readonly frames: number;
  readonly bestScore: number;
}

/** The objects of a clip, in the order of their appearance. */
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
