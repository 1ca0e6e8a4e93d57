import type { JobType } from "../contract/primitives.ts";
import type { OutputFile, TaskOutput } from "@segmentation/protocol";

const IMAGE_MASK = /^masks\/\d+\.png$/;

/** What a task of this type may write under this name, as its content type; null where it may not write it. */
function contentTypeOf(type: JobType, name: string): OutputFile["contentType"] | null {
  if (type === "image") return IMAGE_MASK.test(name) || name === "preview.png" ? "image/png" : null;
  if (name === "masks.json") return "application/json";
  return name === "preview.mp4" ? "video/mp4" : null;
}

const refusedFile = (type: JobType, name: string): string =>
  `The task of a job of type ${type} has no ${name}.`;

const hasDoubles = (values: readonly unknown[]): boolean => new Set(values).size < values.length;

/** Why a task of this type may not write these files, as a sentence; null where it may. */
export function filesRefusal(type: JobType, files: readonly OutputFile[]): string | null {
  if (hasDoubles(files.map((file) => file.name))) return "A file is named twice.";
  for (const { name, contentType } of files) {
    const known = contentTypeOf(type, name);
    if (known === null) return refusedFile(type, name);
    if (contentType !== known) return `${name} is of the content type ${known}.`;
  }
  return null;
}

/** Why a task of this type can't have given this, as a sentence; null where it can. */
export function outputRefusal(type: JobType, output: TaskOutput): string | null {
  if (output.type !== type) return `A job of type ${type} has no output of type ${output.type}.`;
  if (output.type === "image") {
    if (hasDoubles(output.masks.map((mask) => mask.maskIndex))) return "A maskIndex is given twice.";
    const wrong = output.masks.find(({ file }) => !IMAGE_MASK.test(file));
    if (wrong !== undefined) return `${wrong.file} is no mask of a picture.`;
    return output.preview === null || output.preview === "preview.png"
      ? null
      : refusedFile(type, output.preview);
  }
  if (output.masks !== "masks.json") return refusedFile(type, output.masks);
  if (output.framesWithMasks > output.units) return "More frames have masks than were processed.";
  return output.preview === null || output.preview === "preview.mp4"
    ? null
    : refusedFile(type, output.preview);
}
