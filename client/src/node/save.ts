import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ASSETS } from "../contract.ts";
import { SegmentationError } from "../errors.ts";
import { mapParallel } from "../http/parallel.ts";
import { pieces } from "../http/read.ts";
import type { JobFiles } from "../results/files.ts";

const { masks: png, ...others } = { ...ASSETS.video, ...ASSETS.image };
/** The asset keys of each format. */
const KEYS = { png, ...others };

export type Format = keyof typeof KEYS;
export const FORMATS = Object.keys(KEYS).filter((name): name is Format => name in KEYS);

/** The folder of a format's files, in storage and on the disk. */
export const folderOf = (format: Format): string => KEYS[format].split("/", 1).join();

export interface SaveOptions {
  /** Formats to save; by default all of the job's. */
  readonly formats?: readonly Format[];
  readonly signal?: AbortSignal | undefined;
}

/** A file to write: its path below the folder, and its content or the key to download it by. */
export interface ToWrite {
  readonly path: string;
  readonly content: Blob | string | { readonly key: string };
}

/**
 * A job's files in the given formats as paths below a folder: their keys, with the input's name instead of its taskId.
 * @param names by taskId, no two the same @throws SegmentationError `invalid_input` if the job has no files of a format
 */
export function filesToSave(
  { keys, jobId }: JobFiles,
  formats: readonly Format[] | undefined,
  names: ReadonlyMap<string, string>,
): ToWrite[] {
  return (formats ?? FORMATS).flatMap((format) => {
    const wanted = keys.filter((key) => key.startsWith(`${folderOf(format)}/`));
    if (wanted.length === 0 && formats !== undefined && format !== "png" && format !== "coco") {
      const ask = format === "preview" ? "generatePreview: true" : `formats: ["${format}"]`;
      throw new SegmentationError(
        "invalid_input",
        `The job has no ${format} files. Request them when you create the job: { ${ask} }.`,
        { jobId },
      );
    }
    return wanted.map((key) => ({ path: withName(key, names), content: { key } }));
  });
}

/** Writes files, each atomically. Returns their paths. */
export async function writeAll(
  folder: string,
  files: JobFiles,
  all: readonly ToWrite[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  return await mapParallel(all, files.connection.parallel, signal, async ({ path, content }, _, each) => {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    if (typeof content === "string" || content instanceof Blob)
      await writeWhole(
        target,
        typeof content === "string" ? content : new Uint8Array(await content.arrayBuffer()),
      );
    else
      await files.read(content.key, (response, alive) => writeWhole(target, pieces(response, alive)), each);
    return target;
  });
}

/** Writes a file atomically: to a temporary name, then renames it. */
export async function writeWhole(path: string, content: Parameters<typeof writeFile>[1]): Promise<void> {
  const part = `${path}.part`;
  await writeFile(part, content);
  await rename(part, path);
}

/** An asset's key with a name instead of the taskId. @throws SegmentationError if it leads out of the folder */
function withName(key: string, names: ReadonlyMap<string, string>): string {
  const path = key
    .split("/")
    .map((part) => {
      const [taskId, name] = [...names].find(([id]) => part.startsWith(id)) ?? ["", ""];
      return name + part.slice(taskId.length);
    })
    .join("/");
  if (path.split(/[/\\]/).includes(".."))
    throw new SegmentationError("unreadable_answer", `The service sent an unsafe file name: ${key}.`);
  return path;
}
