import { createReadStream } from "node:fs";
import { type FileHandle, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type CocoDocument, CocoMerger, numbered } from "../../../results/coco.ts";
import { systemCode } from "../../failure.ts";
import { folderOf } from "../../../node/save.ts";
import type { Journal } from "../journal/journal.ts";

/** The merged document, in the output folder. */
export const ANNOTATIONS = "annotations.json";

/** A list in a file, one item after the other. */
class ListFile {
  readonly path: string;
  readonly #file: FileHandle;
  #isEmpty = true;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  static async begin(path: string, text: string): Promise<ListFile> {
    const list = new ListFile(path, await open(path, "w"));
    await list.write(text);
    return list;
  }

  async write(text: string): Promise<void> {
    // `write` may write only a part of it, on a disk that is nearly full.
    await this.#file.appendFile(text);
  }

  async add(items: readonly object[]): Promise<void> {
    if (items.length === 0) return;
    const text = items.map((item) => JSON.stringify(item)).join(",\n");
    await this.write(this.#isEmpty ? text : `,\n${text}`);
    this.#isEmpty = false;
  }

  async append(other: ListFile): Promise<void> {
    await other.#file.close();
    for await (const piece of createReadStream(other.path, "utf8")) await this.write(String(piece));
    await rm(other.path);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** A picture's document; undefined if a person has deleted or damaged it. */
async function readDocument(path: string): Promise<CocoDocument | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (systemCode(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Merges the documents of all pictures into `annotations.json`, ordered by name. The first categories are the prompts.
 * Holds one at a time in memory: the documents of a large folder would not fit. Leaves out documents that were deleted
 * or damaged.
 * @returns the paths of those left out
 */
export async function mergeAnnotations(
  journal: Journal,
  prompts: readonly string[],
  out: string,
): Promise<string[]> {
  const paths = [...journal.state.outcomes.values()]
    .flatMap(({ files }) => files.filter((path) => path.startsWith(`${folderOf("coco")}/`)))
    .toSorted();
  const target = join(out, ANNOTATIONS);
  const merger = new CocoMerger(numbered(prompts));
  const whole = await ListFile.begin(`${target}.part`, '{"images":[\n');
  const annotations = await ListFile.begin(`${target}.annotations.part`, '\n],"annotations":[\n');
  const videos: object[] = [];
  const missing: string[] = [];
  for (const path of paths) {
    const document = await readDocument(join(out, path));
    if (document === undefined) {
      missing.push(path);
      continue;
    }
    const part = merger.add(document);
    await whole.add(part.images);
    await annotations.add(part.annotations);
    videos.push(...part.videos);
  }
  await whole.append(annotations);
  const clips = videos.length > 0 ? `,"videos":${JSON.stringify(videos)}` : "";
  await whole.write(`\n],"categories":${JSON.stringify(merger.categories)}${clips}}\n`);
  await whole.close();
  await rename(whole.path, target);
  journal.append({ entry: "merged" });
  return missing;
}
