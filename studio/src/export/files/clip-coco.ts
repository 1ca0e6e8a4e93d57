import { decodeRle, frameImageOf, measureMask, packMask } from "@segmentation/masks";
import type { VideoResult } from "segmentation-client";
import { categoryOf } from "segmentation-client/masks";

/**
 * Makes the COCO document of a video from its masks, as the service writes it: each frame is an image, each object a track.
 * @param names that people gave since, by `objectId`
 */
export function cocoOfClip(
  { taskId, job, masksJson: { width, height, frames }, tracks }: ClipResult,
  names: ReadonlyMap<number, string> = new Map(),
) {
  const video_id = 1;
  const labelOf = ({ objectId, label }: Named): string => categoryOf({ label: names.get(objectId) ?? label });
  const pointed = tracks
    .filter(({ prompt }) => prompt === undefined)
    .toSorted((a, b) => (a.region ?? 0) - (b.region ?? 0));
  const categories = [...new Set([...(job.prompts ?? []), ...pointed.map(labelOf)])];
  const images = frames.map((frame) => frameImageOf(taskId, video_id, { width, height }, frame));
  const seen = frames.flatMap(({ sampleIdx, objects }) => objects.map((object) => ({ sampleIdx, object })));
  return {
    videos: [{ id: video_id, name: taskId, width, height }],
    categories: categories.map((name, i) => ({ id: i + 1, name })),
    annotations: seen.map(({ sampleIdx, object }, i) => {
      const { objectId, promptIndex, score, rle } = object;
      const { area, box } = measureMask(packMask(decodeRle(rle)));
      return {
        id: i + 1,
        image_id: sampleIdx + 1,
        video_id,
        track_id: objectId,
        category_id: 1 + (promptIndex ?? categories.indexOf(labelOf(object))),
        segmentation: rle,
        bbox: box,
        area,
        score,
        iscrowd: 0,
      };
    }),
    images,
  };
}

interface ClipResult extends Pick<VideoResult, "taskId" | "masksJson" | "tracks"> {
  readonly job: Pick<VideoResult["job"], "prompts">;
}

interface Named {
  readonly objectId: number;
  readonly label?: string | undefined;
}
