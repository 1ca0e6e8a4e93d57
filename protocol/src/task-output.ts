import { z } from "zod";
import { isList, isNamed, MOST_MASKS_PER_TASK, OutputName, OUTPUTS, outputsOf } from "./outputs.ts";
import type { Output, TaskType } from "./outputs.ts";
import { TaskProblem } from "./problems.ts";
import { fill } from "./template.ts";

/** One mask of a picture: of a prompt or of a region, whose index counts those of the job from 0. */
export const MaskOutput = z
  .strictObject({
    maskIndex: z.int().nonnegative(),
    promptIndex: z.int().nonnegative().optional(),
    regionIndex: z.int().nonnegative().optional(),
    confidence: z.number().min(0).max(1),
    file: OutputName,
  })
  .refine(({ promptIndex, regionIndex }) => (promptIndex === undefined) !== (regionIndex === undefined));
export type MaskOutput = z.infer<typeof MaskOutput>;

type Kinds<Type extends TaskType> = (typeof OUTPUTS)[Type];
type FileName = typeof OutputName;
type FileField<Row> = Row extends { readonly reported: "always" }
  ? FileName
  : Row extends { readonly reported: "or-null" }
    ? z.ZodNullable<FileName>
    : Row extends { readonly name: `${string}{index}${string}` }
      ? z.ZodOptional<z.ZodBoolean>
      : z.ZodOptional<z.ZodNullable<FileName>>;

/**
 * One field per output of a type: the name of its file, or `true` for a list. Not for the masks, which have their own
 * array.
 */
type FileFields<Type extends TaskType> = {
  [
    Kind in keyof Kinds<Type> as Kinds<Type>[Kind] extends { readonly reported: "each" } ? never : Kind
  ]: FileField<Kinds<Type>[Kind]>;
};

const fieldOf = (output: Output) => {
  if (output.reported === "always") return OutputName;
  if (output.reported === "or-null") return OutputName.nullable();
  return isList(output) ? z.boolean().optional() : OutputName.nullish();
};

/** The outputs that have a field in a finished task. */
const outputsWithField = (type: TaskType) =>
  outputsOf(type).filter(([, { reported }]) => reported !== "each");

function fileFields<Type extends TaskType>(type: Type): FileFields<Type>;
function fileFields(type: TaskType): Record<string, z.ZodType> {
  return Object.fromEntries(outputsWithField(type).map(([kind, output]) => [kind, fieldOf(output)]));
}

/** The files of a finished picture, except its masks. */
export const ImageFiles = z.strictObject(fileFields("image"));
/** The files of a finished video. */
export const VideoFiles = z.strictObject(fileFields("video"));

/**
 * Fields of every finished task; `notice` says which parts were not served, or were left out, although the task
 * succeeded.
 */
const finished = { generatedAt: z.iso.datetime({ precision: 3 }), notice: TaskProblem.nullable() };

export const ImageTaskOutput = z.strictObject({
  ...finished,
  ...ImageFiles.shape,
  type: z.literal("image"),
  /** The billed units: one picture. */
  units: z.literal(1),
  masks: z.array(MaskOutput).max(MOST_MASKS_PER_TASK),
});
export type ImageTaskOutput = z.infer<typeof ImageTaskOutput>;

export const VideoTaskOutput = z.strictObject({
  ...finished,
  ...VideoFiles.shape,
  type: z.literal("video"),
  /** The billed units: the processed frames. */
  units: z.int().positive(),
  framesWithMasks: z.int().nonnegative(),
  totalMasks: z.int().nonnegative(),
});
export type VideoTaskOutput = z.infer<typeof VideoTaskOutput>;

export const TaskOutput = z.discriminatedUnion("type", [ImageTaskOutput, VideoTaskOutput]);
export type TaskOutput = z.infer<typeof TaskOutput>;

/** The file fields of a finished task, from the names of its files. */
export const filesByKind = (type: TaskType, names: readonly string[]): Record<string, string | true | null> =>
  Object.fromEntries(
    outputsWithField(type).flatMap(([kind, output]): [string, string | true | null][] => {
      const name = names.find((written) => isNamed(output, written));
      if (name !== undefined) return [[kind, isList(output) ? true : name]];
      return output.reported === undefined ? [] : [[kind, null]];
    }),
  );

/** A file that a finished task names. */
export interface NamedFile {
  readonly kind: string;
  readonly output: Output;
  readonly name: string;
  /** Its mask's index, if its output is a list. */
  readonly index?: number;
}

/**
 * The files that a finished task names, in the table's order. A task stored before an output existed names none of it.
 */
export function filesOf(given: TaskOutput): NamedFile[] {
  const fields: Readonly<Record<string, unknown>> = { ...given };
  return outputsOf(given.type).flatMap(([kind, output]): NamedFile[] => {
    const field = fields[kind];
    if (typeof field === "string") return [{ kind, output, name: field }];
    if (given.type !== "image") return [];
    if (output.reported === "each")
      return given.masks.map(({ maskIndex, file }) => ({ kind, output, name: file, index: maskIndex }));
    if (field !== true) return [];
    return given.masks.map(({ maskIndex: index }) => ({
      kind,
      output,
      name: fill<string>(output.name, { index }),
      index,
    }));
  });
}
