import type { Mask } from "../../../results/mask.ts";
import type { Clip } from "../../../results/video-result.ts";
import type { MaskRow, TrackRow } from "../journal/entries.ts";

/** What the journal keeps of masks. */
export const maskRows = (masks: readonly Mask[]): MaskRow[] =>
  masks.map(({ prompt = "region", confidence, box, area }) => ({ prompt, confidence, box, area }));

/** What the journal keeps of a clip's objects. */
export const trackRows = ({ tracks }: Clip): TrackRow[] =>
  tracks.map(({ objectId, prompt, sightings }) => ({
    objectId,
    prompt,
    firstSec: sightings[0]?.timeSec ?? 0,
    lastSec: sightings.at(-1)?.timeSec ?? 0,
    frames: sightings.length,
    confidence: sightings.reduce((sum, sighting) => sum + sighting.confidence, 0) / sightings.length,
  }));
