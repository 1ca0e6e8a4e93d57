import { join } from "node:path";
import { writeWhole } from "../../../node/save.ts";
import type { Order } from "../order.ts";

/**
 * Writes the `data.yaml` of labels for YOLO: the names of their classes, which count the prompts from 0, regions last. A text
 * in JSON is one in YAML, too.
 */
export async function writeYoloDataset({ prompts, regions }: Order, out: string): Promise<void> {
  const names = [...prompts, ...(regions.length > 0 ? ["region"] : [])];
  const lines = names.map((name, i) => `  ${i}: ${JSON.stringify(name)}`);
  await writeWhole(
    join(out, "data.yaml"),
    ["train: images", "val: images", "names:", ...lines, ""].join("\n"),
  );
}
