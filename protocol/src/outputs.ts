import { z } from "zod";
import { fill } from "./template.ts";

/** An output: a file that a task's holder writes. */
export interface Output {
  /** Its name under its lease's prefix. One with `{index}` is a list: a file per mask. */
  readonly name: string;
  readonly contentType: string;
  /** Its key among the job's assets and in the job's archive. */
  readonly assetKey: string;
  /**
   * The field of this output in a finished task. `always`: its name, in every task. `or-null`: its name or null.
   * `each`: the facts about each mask. Absent: the field is missing if there is no such file, as in records stored
   * before the output existed, so leave it out for every new output. The field of a list is then only `true`.
   */
  readonly reported?: "always" | "or-null" | "each";
  /** A short description, if a job asks for it in its `formats`: the kind is then the format's name. */
  readonly format?: string;
}

/** The outputs of a task, by the job's type and their kind: the only list of them, in the order of a job's assets. */
export const OUTPUTS = {
  image: {
    masks: {
      name: "masks/{index}.png",
      contentType: "image/png",
      assetKey: "masks/{taskId}/{index}.png",
      reported: "each",
    },
    preview: {
      name: "preview.png",
      contentType: "image/png",
      assetKey: "preview/{taskId}.png",
      reported: "or-null",
    },
    coco: {
      name: "annotations.json",
      contentType: "application/json",
      assetKey: "annotations/{taskId}.json",
      format: "COCO annotations",
    },
    yolo: {
      name: "labels.txt",
      contentType: "text/plain",
      assetKey: "labels/{taskId}.txt",
      format: "YOLO labels",
    },
    cutout: {
      name: "cutouts/{index}.png",
      contentType: "image/png",
      assetKey: "cutouts/{taskId}/{index}.png",
      format: "cut-outs with transparency",
    },
    labelmap: {
      name: "labelmap.png",
      contentType: "image/png",
      assetKey: "labelmaps/{taskId}.png",
      format: "a map of labels",
    },
    embedding: {
      name: "embedding.bin",
      contentType: "application/octet-stream",
      assetKey: "embeddings/{taskId}.bin",
      format: "the picture's embedding",
    },
  },
  video: {
    /** Lists every processed frame. */
    masks: {
      name: "masks.json",
      contentType: "application/json",
      assetKey: "masks/{taskId}/masks.json",
      reported: "always",
    },
    preview: {
      name: "preview.mp4",
      contentType: "video/mp4",
      assetKey: "preview/{taskId}.mp4",
      reported: "or-null",
    },
    coco: {
      name: "annotations.json",
      contentType: "application/json",
      assetKey: "annotations/{taskId}.json",
      format: "COCO annotations of all frames, with each object's track",
    },
  },
} as const satisfies Record<string, Record<string, Output>>;

type Outputs = typeof OUTPUTS;
export type TaskType = keyof Outputs;

/** The most masks that a picture has of one prompt. */
export const MOST_MASKS_PER_PROMPT = 200;
/** The most masks that one task may have. */
export const MOST_MASKS_PER_TASK = 10_000;

/** The outputs of a type, each with its kind, in the table's order. */
export const outputsOf = (type: TaskType): [kind: string, output: Output][] =>
  Object.entries<Output>(OUTPUTS[type]);

const all = Object.values(OUTPUTS).flatMap((kinds) => Object.values(kinds));

/** True if it has a file per mask. */
export const isList = ({ name }: Output): boolean => name.includes("{index}");

/** The most files that a task of any type may write. */
export const MOST_FILES_PER_TASK = Math.max(
  ...Object.values(OUTPUTS).map((kinds) =>
    Object.values<Output>(kinds).reduce((sum, output) => sum + (isList(output) ? MOST_MASKS_PER_TASK : 1), 0),
  ),
);

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

const pattern = ({ name }: Output): string =>
  name
    .split("{index}")
    .map(escaped)
    .join(String.raw`\d{1,5}`);

/** A file's name under its lease's prefix. */
export const OutputName = z.string().regex(new RegExp(`^(?:${all.map(pattern).join("|")})$`));

/** The content type of an output. */
export const OutputContentType = z.enum([...new Set(all.map(({ contentType }) => contentType))]);

const patterns = new Map<string, RegExp>(
  all.map((output) => [output.name, new RegExp(`^(?:${pattern(output)})$`)]),
);

/** True if a file with this name belongs to this output. */
export const isNamed = (output: Output, name: string): boolean =>
  patterns.get(output.name)?.test(name) ?? false;

/** The output that a task of this type writes under this name; undefined if it writes none. */
export const outputNamed = (type: TaskType, name: string): Output | undefined =>
  outputsOf(type).find(([, output]) => isNamed(output, name))?.[1];

/** The job-relative key of an asset; for a list, that of the mask with this index. */
export const assetKey = (output: Output, taskId: string, index?: number): string =>
  fill(output.assetKey, { taskId, ...(index !== undefined && { index }) });
