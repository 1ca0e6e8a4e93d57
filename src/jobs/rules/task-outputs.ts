import {
  filesOf,
  isList,
  isNamed,
  outputNamed,
  MOST_MASKS_PER_PROMPT,
  MOST_MASKS_PER_TASK,
  OUTPUTS,
  outputsOf,
  type OutputFile,
  type TaskOutput,
} from "@segmentation/protocol";
import type { JobType } from "../../shared/api/primitives.ts";
import type { ImageJobDefinition, JobDefinition } from "./state.ts";

const hasDuplicates = (values: readonly unknown[]): boolean => new Set(values).size < values.length;

/** Returns why a task of this type may not write these files, as a sentence; null if it may. */
export function filesRefusal(type: JobType, files: readonly OutputFile[]): string | null {
  if (hasDuplicates(files.map((file) => file.name))) return "A file is named twice.";
  for (const { name, contentType } of files) {
    const output = outputNamed(type, name);
    if (output === undefined) return `A task of type ${type} has no output named ${name}.`;
    if (contentType !== output.contentType)
      return `${name} has to be of the content type ${output.contentType}, not ${contentType}.`;
  }
  return null;
}

/** Returns why a task of this type cannot have this output, as a sentence; null if it can. */
export function outputRefusal(type: JobType, given: TaskOutput): string | null {
  if (given.type !== type) return `A job of type ${type} has no output of type ${given.type}.`;
  const wrong = filesOf(given).find(({ output, name }) => !isNamed(output, name));
  if (wrong !== undefined) return `A task of type ${type} has no ${wrong.kind} named ${wrong.name}.`;
  if (given.type === "image")
    return hasDuplicates(given.masks.map((mask) => mask.maskIndex)) ? "A maskIndex is given twice." : null;
  return given.framesWithMasks > given.units ? "More frames have masks than were processed." : null;
}

/** Returns the charge for a job's finished task: its units, or none if the job is free. */
export const unitsOf = (definition: JobDefinition, { units }: TaskOutput): number =>
  definition.type === "image" && definition.free === true ? 0 : units;

/** A result and an archive list every mask file of their job, both from one array in memory. */
const MOST_MASK_FILES_PER_JOB = 30_000;

/**
 * Returns the maximum masks for the prompts of one task, which share them equally: the maximum per prompt, limited by the maximum
 * per task and by the task's share of its job. The masks of the job's regions take precedence. With cutouts, a mask has two
 * files.
 */
export const mostMasks = ({
  prompts,
  tasks,
  regions,
  filesPerMask = 1,
}: {
  prompts: number;
  tasks: number;
  regions: number;
  filesPerMask?: number;
}): number =>
  Math.min(
    MOST_MASKS_PER_PROMPT * prompts,
    MOST_MASKS_PER_TASK - regions,
    Math.floor(MOST_MASK_FILES_PER_JOB / filesPerMask / tasks) - regions,
  );

/** Returns the properties that decide the maximum masks of each of a job's pictures. */
export const masksAsked = ({ prompts, taskIds, regions, formats = [] }: ImageJobDefinition) => ({
  prompts: prompts.length,
  tasks: taskIds.length,
  regions: regions?.length ?? 0,
  filesPerMask: 1 + formats.filter((format) => isList(OUTPUTS.image[format])).length,
});

/** Returns the maximum files that each of a job's tasks may write. */
export function mostFilesOfTask(definition: JobDefinition): number {
  const single = outputsOf(definition.type).filter(([, output]) => !isList(output)).length;
  if (definition.type === "video") return single;
  const asked = masksAsked(definition);
  return (mostMasks(asked) + asked.regions) * asked.filesPerMask + single;
}
