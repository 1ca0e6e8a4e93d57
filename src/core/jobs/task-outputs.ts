import { filesOf, isNamed, outputNamed, type OutputFile, type TaskOutput } from "@segmentation/protocol";
import type { JobType } from "../../contract/primitives.ts";

const hasDoubles = (values: readonly unknown[]): boolean => new Set(values).size < values.length;

/** Why a task of this type may not write these files, as a sentence; null if it may. */
export function filesRefusal(type: JobType, files: readonly OutputFile[]): string | null {
  if (hasDoubles(files.map((file) => file.name))) return "A file is named twice.";
  for (const { name, contentType } of files) {
    const output = outputNamed(type, name);
    if (output === undefined) return `A task of type ${type} has no output named ${name}.`;
    if (contentType !== output.contentType)
      return `${name} has to be of the content type ${output.contentType}, not ${contentType}.`;
  }
  return null;
}

/** Why a task of this type can't have this output, as a sentence; null if it can. */
export function outputRefusal(type: JobType, given: TaskOutput): string | null {
  if (given.type !== type) return `A job of type ${type} has no output of type ${given.type}.`;
  const wrong = filesOf(given).find(({ output, name }) => !isNamed(output, name));
  if (wrong !== undefined) return `A task of type ${type} has no ${wrong.kind} named ${wrong.name}.`;
  if (given.type === "image")
    return hasDoubles(given.masks.map((mask) => mask.maskIndex)) ? "A maskIndex is given twice." : null;
  return given.framesWithMasks > given.units ? "More frames have masks than were processed." : null;
}
