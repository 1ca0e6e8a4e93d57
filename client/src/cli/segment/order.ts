import { resolve } from "node:path";
import type { Format } from "../../node/save.ts";
import { formatsOf } from "../../results/assets.ts";
import type { CreateJobRequest } from "../../schemas.ts";
import { type Parameter, type ParameterOption, PARAMETERS } from "./options.ts";
import type { Region } from "./region.ts";

/** Arguments of `segment`. */
export interface Order {
  /** Paths, patterns and URLs. */
  readonly inputs: readonly string[];
  readonly prompts: readonly string[];
  /** The same for every file. */
  readonly regions: readonly Region[];
  readonly formats: readonly Format[];
  readonly parameters: ReadonlyMap<ParameterOption, number>;
  /** Undefined for the first free default folder. */
  readonly out: string | undefined;
  /** The bucket for the results, `s3://bucket/folder/`; the journal is still in a folder. */
  readonly bucket: string | undefined;
  /** A file of inputs, which may have prompts. */
  readonly manifest: string | undefined;
  readonly retriesFailed: boolean;
  /** True to segment any number of pictures without a question. */
  readonly isSure: boolean;
}

/** The part of an order that decides the results, as text: all results in an output folder have the same text. */
export const purposeOf = ({ prompts, regions, formats, parameters, bucket, manifest }: Order): string => {
  const named = Array.from(parameters, ([option, value]) => [camelCased(option), value] as const);
  const decides = { prompts, regions, formats: formats.toSorted(), ...Object.fromEntries(named) };
  return JSON.stringify({ ...decides, bucket, manifest: manifest && resolve(manifest) });
};

const camelCased = (option: string): string =>
  option.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Common fields of the requests for jobs of both types. */
function requestOf<const Type extends "image" | "video">(type: Type, order: Order, tasks: readonly string[]) {
  const { prompts, regions, formats, parameters } = order;
  const wanted = formatsOf(type).filter((format) => formats.some((each) => each === format));
  const numbers = Array.from(parameters).flatMap(([option, value]) => {
    const { [type]: field }: Parameter = PARAMETERS[option];
    return field === undefined ? [] : [[field, value] as const];
  });
  return {
    type,
    tasks: [...tasks],
    ...(prompts.length > 0 && { prompts: [...prompts] }),
    ...(regions.length > 0 && {
      regions: tasks.flatMap((taskId) => regions.map((region) => Object.assign({ taskId }, region))),
    }),
    ...(formats.includes("preview") && { generatePreview: true }),
    ...(wanted.length > 0 && { formats: wanted }),
    ...Object.fromEntries(numbers),
  };
}

/** The request for a job of pictures. */
export const imageRequest = (order: Order, tasks: readonly string[]): CreateJobRequest =>
  requestOf("image", order, tasks);

/** The request for a job of a video. */
export const videoRequest = (order: Order, taskId: string): CreateJobRequest =>
  requestOf("video", order, [taskId]);
