import { z } from "zod";
import { OUTPUTS, outputsOf, type TaskType } from "./outputs.ts";
import { MOST_REGIONS, RegionLabel } from "./regions.ts";

type Kinds<Type extends TaskType> = (typeof OUTPUTS)[Type];

/** An additional format of a result, if its job asks for it: the kind of an output. */
type FormatOf<Type extends TaskType> = {
  [Kind in keyof Kinds<Type>]: Kinds<Type>[Kind] extends { readonly format: string } ? Kind & string : never;
}[keyof Kinds<Type>];

const formatsOf = <Type extends TaskType>(type: Type): FormatOf<Type>[] =>
  Object.keys(OUTPUTS[type]).filter((kind): kind is FormatOf<Type> =>
    outputsOf(type).some(([name, { format }]) => name === kind && format !== undefined),
  );

/** The formats of a job's type, in words. */
export const formatsInWords = (type: TaskType): string =>
  outputsOf(type)
    .flatMap(([, { format }]) => format ?? [])
    .join(", ");

export const ResultFormat = z.enum(formatsOf("image"));
export type ResultFormat = z.infer<typeof ResultFormat>;

export const VideoFormat = z.enum(formatsOf("video"));
export type VideoFormat = z.infer<typeof VideoFormat>;

/** The additional formats of a task's result, and the upload's name in them. */
export const wantedFormats = <Format extends z.ZodType>(format: Format) =>
  z.strictObject({
    wanted: z.array(format).min(1),
    taskId: z.string().min(1).max(200),
    /** Its place among the job's tasks, from 0: with it, ids are unique in the whole job. */
    index: z.int().nonnegative(),
    /**
     * The names of all regions of the job, by `nameOf`, for the categories. Absent if the task's own regions suffice,
     * as in a job of one task or without labels.
     */
    regionNames: z.array(RegionLabel).min(1).max(MOST_REGIONS).optional(),
  });
