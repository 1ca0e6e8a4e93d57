import type { Mask } from "../results/mask.ts";
import type { CocoDocument } from "./document.ts";

/**
 * The COCO document of one picture, made from its masks. A picture without any is not in it, since only its masks tell its size.
 * @param name the picture's `file_name`
 */
export async function cocoFromMasks(name: string, masks: readonly Mask[]): Promise<CocoDocument> {
  const names = [...new Set(masks.map(categoryOf))];
  const [first] = masks;
  return {
    images: first ? [{ id: 1, file_name: name, width: first.width, height: first.height }] : [],
    categories: names.map((category, i) => ({ id: i + 1, name: category })),
    annotations: await Promise.all(
      masks.map(async (mask, i) => ({
        id: i + 1,
        image_id: 1,
        category_id: names.indexOf(categoryOf(mask)) + 1,
        bbox: mask.box,
        area: mask.area,
        score: mask.confidence,
        iscrowd: 0 as const,
        segmentation: await mask.rle(),
      })),
    ),
  };
}

/** A mask's category in COCO: its prompt; of a region's mask the word that the service uses. */
const categoryOf = ({ prompt = "region" }: Mask): string => prompt;
