import { resolve } from "node:path";
import type { Format } from "../../node/save.ts";
import { formatsOf } from "../../results/assets.ts";
import type { CreateJobRequest } from "../../schemas.ts";
import { type Parameter, type ParameterOption, PARAMETERS } from "./options.ts";
import type { Region } from "./region.ts";

/** What `segment` is asked to do. */
export interface Order {
  /** Paths, patterns and URLs. */
  readonly inputs: readonly string[];
  readonly prompts: readonly string[];
  /** The same for every file. */
  readonly regions: readonly Region[];
  readonly formats: readonly Format[];
  readonly parameters: ReadonlyMap<ParameterOption, number>;
  /** Undefined for the first free one of the default ones. */
  readonly out: string | undefined;
  /** The bucket for the results, `s3://bucket/folder/`; the journal is in a folder nevertheless. */
  readonly bucket: string | undefined;
  /** A file of inputs, some with prompts of their own. */
  readonly manifest: string | undefined;
  readonly retriesFailed: boolean;
  /** Whether any number of pictures may be segmented without a question. */
  readonly isSure: boolean;
}

/** The part of an order that decides the results, as text: all results in an output folder belong to the same text. */
export const purposeOf = ({ prompts, regions, formats, parameters, bucket, manifest }: Order): string => {
  const named = Array.from(parameters, ([option, value]) => [camelCased(option), value] as const);
  const decides = { prompts, regions, formats: formats.toSorted(), ...Object.fromEntries(named) };
  return JSON.stringify({ ...decides, bucket, manifest: manifest && resolve(manifest) });
};

const camelCased = (option: string): string =>
  option.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The parameters as the request for a job of this type has them. */
const fieldsOf = (type: "image" | "video", { parameters }: Order): Record<string, number> =>
  Object.fromEntries(
    Array.from(parameters).flatMap(([option, value]) => {
      const { [type]: field }: Parameter = PARAMETERS[option];
      return field === undefined ? [] : [[field, value]];
    }),
  );

/** The regions of each of the tasks; nothing if there are none. */
const ofTasks = (regions: readonly Region[], tasks: readonly string[]) =>
  regions.length > 0 && {
    regions: tasks.flatMap((taskId) => regions.map((region) => Object.assign({ taskId }, region))),
  };

/** The request for a job of pictures. */
export function imageRequest(order: Order, tasks: readonly string[]): CreateJobRequest {
  const { prompts, regions, formats } = order;
  const wanted = formatsOf("image").filter((format) => formats.includes(format));
  return {
    type: "image",
    tasks: [...tasks],
    ...(prompts.length > 0 && { prompts: [...prompts] }),
    ...ofTasks(regions, tasks),
    ...(formats.includes("preview") && { generatePreview: true }),
    ...(wanted.length > 0 && { formats: wanted }),
    ...fieldsOf("image", order),
  };
}

/** The request for a job of a clip. */
export function videoRequest(order: Order, taskId: string): CreateJobRequest {
  const { prompts, regions, formats } = order;
  const wanted = formatsOf("video").filter((format) => formats.includes(format));
  return {
    type: "video",
    tasks: [taskId],
    ...(prompts.length > 0 && { prompts: [...prompts] }),
    ...ofTasks(regions, [taskId]),
    ...(formats.includes("preview") && { generatePreview: true }),
    ...(wanted.length > 0 && { formats: wanted }),
    ...fieldsOf("video", order),
  };
}
