import type { CocoDocument } from "segmentation-client";
import type { CocoPart } from "../../render/coco.ts";
import type { Classes } from "./classes.ts";

/** A picture of a COCO document. */
export interface CocoPicture {
  readonly imageId: number;
  readonly fileName: string;
  readonly part: CocoPart;
}

/** Makes one COCO document of pictures, with all classes of their entry. */
export function cocoOf(pictures: readonly CocoPicture[], { names }: Classes): CocoDocument {
  const categories = names.flatMap((name, i) => (name === "" ? [] : [{ id: i + 1, name }]));
  const objects = pictures.flatMap(({ imageId, part }) =>
    part.objects.map((object) => ({ image_id: imageId, object })),
  );
  return {
    images: pictures.map(({ imageId, fileName, part: { width, height } }) => ({
      id: imageId,
      file_name: fileName,
      width,
      height,
    })),
    categories,
    annotations: objects.map(({ image_id, object }, i) => {
      const { classIndex, bbox, area, score, segmentation } = object;
      return {
        id: i + 1,
        image_id,
        category_id: classIndex + 1,
        bbox,
        area,
        score,
        iscrowd: 0,
        segmentation,
      };
    }),
  };
}
