import { problemOf } from "@segmentation/protocol";
import { TaskFailure } from "../failures.ts";
import type { LogitGrid } from "@segmentation/masks";
import type { Instance, Picture, Segmentation } from "./model.ts";

const refuse = (what: string): never => {
  throw new TaskFailure(problemOf("model_output_invalid"), what);
};

/**
 * Checks that a model's result keeps the promises of `Instance` and of `DrawnRegion`: wrong masks are worse than none.
 * @param asked the numbers of the request's prompts and regions
 * @throws TaskFailure with the problem model_output_invalid; its cause, for the log, names the fault
 */
export function checkSegmentation(
  { instances, regions = [], alike = [] }: Segmentation,
  picture: Pick<Picture, "width" | "height">,
  asked: { readonly prompts: number; readonly regions: number; readonly examples?: number },
): void {
  // Prompts that mean the same share their masks.
  const sound = new Set<LogitGrid>();
  for (const [index, instance] of instances.entries()) {
    const fault =
      faultOf(instance, picture, asked.prompts) ??
      (sound.has(instance.mask) ? undefined : gridFault(instance.mask));
    sound.add(instance.mask);
    if (fault !== undefined) refuse(`instance ${index}: ${fault}`);
  }
  for (const [index, { exampleIndex, ...found }] of alike.entries()) {
    const fault =
      faultOf({ ...found, promptIndex: exampleIndex }, picture, asked.examples ?? 0) ?? gridFault(found.mask);
    if (fault !== undefined) refuse(`object ${index} like an example: ${fault}`);
  }
  if (regions.length !== asked.regions) refuse(`${regions.length} masks for ${asked.regions} regions`);
  for (const [index, { mask, quality }] of regions.entries()) {
    const fault = Number.isFinite(quality) ? gridFault(mask) : `quality ${quality}`;
    if (fault !== undefined) refuse(`region ${index}: ${fault}`);
  }
}

function faultOf(
  { promptIndex, score, box }: Pick<Instance, "promptIndex" | "score" | "box">,
  { width, height }: Pick<Picture, "width" | "height">,
  prompts: number,
): string | undefined {
  const [x1, y1, x2, y2] = box;
  if (!(Number.isInteger(promptIndex) && promptIndex >= 0 && promptIndex < prompts))
    return `promptIndex ${promptIndex} of ${prompts} prompts`;
  if (!(score >= 0 && score <= 1)) return `score ${score}`;
  if (!(x1 >= 0 && y1 >= 0 && x1 < x2 && y1 < y2 && x2 <= width && y2 <= height))
    return `box [${box.join(", ")}] in ${width} × ${height}`;
  return undefined;
}

function gridFault(mask: LogitGrid): string | undefined {
  if (!(mask.width > 0 && mask.height > 0 && mask.logits.length === mask.width * mask.height))
    return `${mask.logits.length} logits for a grid of ${mask.width} × ${mask.height}`;
  const { logits } = mask;
  // A function call for each of the millions of logits would take as long as cleaning the masks.
  for (let at = 0; at < logits.length; at += 1)
    if (!Number.isFinite(logits[at] ?? Number.NaN)) return "a logit that is not finite";
  return undefined;
}
