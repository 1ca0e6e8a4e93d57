import { decodeRle, measureMask, packMask } from "@segmentation/masks";
import type { VideoResult } from "segmentation-client";

/** As many digits as the service's names of frames have. */
const FRAME_DIGITS = 6;
const MICROSECONDS = 1e6;
/** Category of objects without a label. */
const UNLABELLED = "region";

/** Makes the COCO document of a video from its masks, as the service writes it: each frame is an image, each object a track. */
export function cocoOfClip({
  taskId,
  job,
  masksJson: { width, height, frames },
  tracks,
}: Pick<VideoResult, "taskId" | "masksJson" | "tracks"> & {
  readonly job: Pick<VideoResult["job"], "prompts">;
}) {
  const video_id = 1;
  const pointed = tracks
    .filter(({ prompt }) => prompt === undefined)
    .toSorted((a, b) => (a.region ?? 0) - (b.region ?? 0));
  const names = [...new Set([...(job.prompts ?? []), ...pointed.map(({ label }) => label ?? UNLABELLED)])];
  const seen = frames.flatMap(({ sampleIdx, objects }) => objects.map((object) => ({ sampleIdx, object })));
  return {
    videos: [{ id: video_id, name: taskId, width, height }],
    categories: names.map((name, i) => ({ id: i + 1, name })),
    annotations: seen.map(({ sampleIdx, object: { objectId, promptIndex, label, score, rle } }, i) => {
      const { area, box } = measureMask(packMask(decodeRle(rle)));
      const category_id = 1 + (promptIndex ?? names.indexOf(label ?? UNLABELLED));
      return {
        id: i + 1,
        image_id: sampleIdx + 1,
        video_id,
        track_id: objectId,
        category_id,
        segmentation: rle,
        bbox: box,
        area,
        score,
        iscrowd: 0,
      };
    }),
    images: frames.map(({ sampleIdx, frameIdx, timeSec }) => ({
      id: sampleIdx + 1,
      video_id,
      frame_id: sampleIdx,
      frame_index: frameIdx,
      time: Math.round(timeSec * MICROSECONDS) / MICROSECONDS,
      width,
      height,
      file_name: `${taskId}/${String(frameIdx).padStart(FRAME_DIGITS, "0")}.jpg`,
    })),
  };
}
