import { decodeRle } from "@segmentation/masks";
import { ASSETS } from "../contract.ts";
import { lacking } from "../errors.ts";
import { mapParallel } from "../http/parallel.ts";
import { readJson } from "../http/read.ts";
import type { ImageManifest, JobStatus, VideoManifest } from "../schemas.ts";
import { assetKey } from "./assets.ts";
import type { JobFiles } from "./files.ts";
import { readMask } from "./mask.ts";
import { Picture } from "./picture.ts";
import { type MasksJson, type Sighting, type Track, VideoResult } from "./video-result.ts";

/** Fetches the masks of these tasks' pictures. `names` are the files' names by taskId. */
export async function loadPictures(
  files: JobFiles,
  { items, prompts }: ImageManifest,
  tasks: JobStatus["tasks"],
  names: ReadonlyMap<string, string>,
  signal: AbortSignal | undefined,
): Promise<Picture[]> {
  const ids = new Set(tasks.map(({ taskId }) => taskId));
  const wanted = items.flatMap(({ taskId, masks }) =>
    ids.has(taskId) ? masks.map((mask) => ({ ...mask, taskId })) : [],
  );
  const masks = await mapParallel(
    wanted,
    files.connection.parallel,
    signal,
    async ({ taskId, maskIndex, confidence }, _, each) => ({
      taskId,
      mask: await files.read(
        assetKey(ASSETS.image.masks, taskId, maskIndex),
        readMask(maskIndex, confidence),
        each,
      ),
    }),
  );
  return tasks.map(({ taskId, error }) => {
    const own = masks.filter((each) => each.taskId === taskId).map(({ mask }) => mask);
    return new Picture(files, taskId, names.get(taskId) ?? taskId, own, error, prompts);
  });
}

/** Fetches a video's masks. @throws SegmentationError */
export async function loadVideo(
  files: JobFiles,
  manifest: VideoManifest,
  job: JobStatus,
  names: ReadonlyMap<string, string>,
  signal: AbortSignal | undefined,
): Promise<VideoResult> {
  const [item] = manifest.items;
  if (item === undefined) throw lacking("video", job.jobId);
  const { taskId, counts } = item;
  const masksJson = await files.read(assetKey(ASSETS.video.masks, taskId), readJson<MasksJson>, signal);
  const tracks = tracksOf(masksJson, manifest.prompts);
  return new VideoResult(files, job, {
    taskId,
    name: names.get(taskId) ?? taskId,
    counts,
    tracks,
    masksJson,
  });
}

/** The precision of the service's boxes, which a difference of two binary fractions hides behind a dozen digits. */
const hundredths = (pixels: number): number => Math.round(pixels * 100) / 100;

/** The objects of all frames, put together by their ids, in the order in which they appear. */
function tracksOf({ frames }: MasksJson, prompts: readonly string[]): Track[] {
  const tracks = new Map<number, Track & { readonly sightings: Sighting[] }>();
  for (const { objects, ...frame } of frames)
    for (const { objectId, promptIndex, regionIndex, label, score, box, rle } of objects) {
      const prompt = promptIndex === undefined ? undefined : prompts[promptIndex];
      const track = tracks.get(objectId) ?? { objectId, prompt, region: regionIndex, label, sightings: [] };
      tracks.set(objectId, track);
      const [x1, y1, x2, y2] = box;
      track.sightings.push({
        ...frame,
        confidence: score,
        box: [x1, y1, hundredths(x2 - x1), hundredths(y2 - y1)],
        rle,
        bitmap: () => decodeRle(rle),
      });
    }
  return [...tracks.values()];
}
