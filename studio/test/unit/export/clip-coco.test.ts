import type { MasksJson, Track } from "segmentation-client";
import { encodeRle } from "segmentation-client/masks";
import { expect, it } from "vitest";
import { cocoOfClip } from "../../../src/export/files/clip-coco.ts";

const SIZE = { width: 4, height: 2 };
const rle = encodeRle({ ...SIZE, data: Uint8Array.of(0, 1, 1, 0, 0, 1, 0, 0) });
const seen = (objectId: number) => ({ objectId, score: 0.5, box: [0, 0, 4, 2] as const, rle });
const track = (objectId: number, of: Partial<Track>): Track => ({
  objectId,
  prompt: undefined,
  sightings: [],
  ...of,
});

it("describes each frame and each tracked object of a video, by prompts, then labels in the order of the regions", () => {
  const masksJson: MasksJson = {
    version: 1,
    fps: 2,
    ...SIZE,
    frames: [
      { sampleIdx: 0, frameIdx: 0, timeSec: 0, objects: [{ ...seen(3), regionIndex: 1 }] },
      {
        sampleIdx: 1,
        frameIdx: 12,
        timeSec: 0.5000001,
        objects: [
          { ...seen(1), promptIndex: 1 },
          { ...seen(2), regionIndex: 0, label: "my cat" },
        ],
      },
    ],
  };
  const tracks = [
    track(3, { region: 1 }),
    track(1, { prompt: "dog" }),
    track(2, { region: 0, label: "my cat" }),
  ];
  const own = { video_id: 1, segmentation: rle, bbox: [1, 0, 2, 2], area: 3, score: 0.5, iscrowd: 0 };
  const result = { taskId: "c.mp4", job: { prompts: ["cat", "dog"] }, masksJson, tracks };
  // Names that people gave after the job.
  const renamed = cocoOfClip(
    result,
    new Map([
      [3, "bird"],
      [2, "dog"],
    ]),
  );
  expect(renamed.categories.map(({ name }) => name)).toEqual(["cat", "dog", "bird"]);
  expect(renamed.annotations.map(({ category_id }) => category_id)).toEqual([3, 2, 2]);
  expect(cocoOfClip(result)).toEqual({
    videos: [{ id: 1, name: "c.mp4", ...SIZE }],
    categories: ["cat", "dog", "my cat", "region"].map((name, i) => ({ id: i + 1, name })),
    annotations: [
      { id: 1, image_id: 1, track_id: 3, category_id: 4, ...own },
      { id: 2, image_id: 2, track_id: 1, category_id: 2, ...own },
      { id: 3, image_id: 2, track_id: 2, category_id: 3, ...own },
    ],
    images: [
      { id: 1, video_id: 1, frame_id: 0, frame_index: 0, time: 0, ...SIZE, file_name: "c.mp4/000000.jpg" },
      { id: 2, video_id: 1, frame_id: 1, frame_index: 12, time: 0.5, ...SIZE, file_name: "c.mp4/000012.jpg" },
    ],
  });
});
