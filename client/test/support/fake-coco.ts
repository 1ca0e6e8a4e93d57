import { type CocoDocument, encodeRle } from "segmentation-client/masks";
import { ring } from "./shapes.ts";

/** The COCO document of a task in which the fake service finds `names`: of a picture its rings, of a video two frames. */
export function cocoOf(
  taskId: string,
  type: "image" | "video",
  names: readonly string[],
  sum: number,
): object {
  const categories = names.map((name, i) => ({ id: i + 1, name }));
  if (type === "video")
    return {
      videos: [{ id: 1, name: taskId }],
      images: [0, 1].map((id) => ({
        id: id + 1,
        video_id: 1,
        file_name: `${taskId}/00000${id}.jpg`,
        width: 3,
        height: 2,
      })),
      categories,
      annotations: [],
    };
  const { width, height } = ring(sum);
  const annotations = names.map((_, i) => {
    const bitmap = ring(sum, i);
    const set = [...bitmap.data.keys()].filter((at) => bitmap.data[at]);
    const [xs, ys] = [set.map((at) => at % width), set.map((at) => Math.floor(at / width))];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    return {
      id: i + 1,
      image_id: 1,
      category_id: i + 1,
      bbox: [left, top, Math.max(...xs) + 1 - left, Math.max(...ys) + 1 - top],
      area: set.length,
      score: 0.9 - i / 10,
      iscrowd: 0 as const,
      segmentation: encodeRle(bitmap),
    };
  });
  const document: CocoDocument = {
    images: [{ id: 1, file_name: taskId, width, height }],
    categories,
    annotations,
  };
  return document;
}
