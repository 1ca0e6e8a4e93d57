import { distinctPrompts } from "@segmentation/masks";
import { LIMITS } from "../../contract.ts";
import { type Format, FORMATS } from "../../node/save.ts";
import { isBucketUrl, placeOf } from "../bucket/bucket.ts";
import { numberOf, parse } from "../command/parse.ts";
import { usageFailure } from "../failure.ts";
import { OPTIONS, PARAMETER_OPTIONS, PARAMETERS } from "./options.ts";
import type { Order } from "./order.ts";
import { parseRegion, REGION_FORMS, type Region } from "./region.ts";

/** The values of `--format`; the preview has its own option. */
const CHOICES = FORMATS.filter((format) => format !== "preview");

/** Reads the arguments of `segment`. @throws Failure with exit code 2 */
export function parseOrder(args: readonly string[]) {
  const { values, positionals } = parse("segment", args, OPTIONS);
  const prompts = distinctPrompts((values.prompt ?? []).map((prompt) => prompt.trim()));
  const regions = (values.region ?? []).map(regionOf);
  const formats = (values.format ?? ["png,coco"]).flatMap((list) => list.split(",")).map(parseFormat);
  const order: Order = {
    inputs: positionals,
    prompts,
    regions,
    formats: [...new Set([...formats, ...(values.preview === true ? (["preview"] as const) : [])])],
    parameters: new Map(
      PARAMETER_OPTIONS.flatMap((option) => {
        const value = numberOf(option, values[option], PARAMETERS[option]);
        return value === undefined ? [] : [[option, value]];
      }),
    ),
    ...(values.out !== undefined && isBucketUrl(values.out)
      ? { bucket: values.out, out: undefined }
      : { bucket: undefined, out: values.out }),
    manifest: values.manifest,
    retriesFailed: values["retry-failed"] ?? false,
    isSure: values.yes ?? false,
  };
  if (values.help === true) return { values, order };
  if (order.bucket !== undefined) placeOf(order.bucket);
  if (order.manifest !== undefined) {
    if (positionals.length > 0 || regions.length > 0 || formats.includes("yolo"))
      throw usageFailure("--manifest takes no other inputs, no --region and no --format yolo.");
    return { values, order };
  }
  if (positionals.length === 0)
    throw usageFailure("Name a picture, a folder or a URL: segmentation-client segment photo.jpg -p cat");
  if (prompts.length === 0 && regions.length === 0)
    throw usageFailure('Say what to look for: -p cat -p "red cup". Or where: --region 430,200');
  if (prompts.includes("")) throw usageFailure('A prompt is empty. Say what to look for: -p "red cup"');
  if (regions.length > LIMITS.regions)
    throw usageFailure(`A job can have up to ${LIMITS.regions} regions, not ${regions.length}.`);
  if (order.parameters.has("fps") && order.parameters.has("frames"))
    throw usageFailure("--fps and --frames cannot be combined. Give one of them.");
  return { values, order };
}

/** @throws Failure with exit code 2 if the text is no region */
function regionOf(text: string): Region {
  const region = parseRegion(text);
  if (region !== undefined) return region;
  throw usageFailure(`--region takes ${REGION_FORMS}; not "${text}".`);
}

function parseFormat(text: string): Format {
  const format = CHOICES.find((name) => name === text.trim());
  if (format === undefined)
    throw usageFailure(`--format takes ${CHOICES.join(", ")}, separated by commas, not "${text}".`);
  return format;
}
