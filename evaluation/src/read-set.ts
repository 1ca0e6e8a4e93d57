import { readFile, stat } from "node:fs/promises";
import { join, normalize, sep } from "node:path";
import { Failure } from "../../scripts/shared/command-line.ts";
import { messageOf } from "../../scripts/shared/error-parts.ts";
import { labelledSet, type LabelledSet } from "./labelled-set.ts";

/** COCO's largest file of labels has some 450 MB; a string of Node's holds little more. */
const MOST_BYTES = 500_000_000;

/** A labeled set on disk; `pathOf` gives each picture's file. */
export interface SetOnDisk {
  readonly set: LabelledSet;
  readonly pathOf: (file: string) => string;
}

/** Reads the labels and checks that every picture exists. @throws Failure that names the file and its fault */
export async function readSet(pictures: string, labels: string): Promise<SetOnDisk> {
  const set = labelledSet(await readJson(labels), labels);
  const folder = await stat(pictures).catch(() => null);
  if (folder?.isDirectory() !== true) throw new Failure(`There is no folder ${pictures} with the pictures.`);
  const missing: string[] = [];
  for (const { file } of set.pictures) {
    const inside = normalize(file);
    if (inside.startsWith(`..${sep}`) || inside.startsWith(sep))
      throw new Failure(
        `${labels} names the picture ${file}, which lies outside the folder of the pictures.`,
      );
    const found = await stat(join(pictures, inside)).catch(() => null);
    if (found?.isFile() !== true) missing.push(file);
  }
  const [first] = missing;
  if (first !== undefined)
    throw new Failure(
      `${pictures} lacks ${missing.length} of the ${set.pictures.length} pictures that ${labels} lists, such as ${first}.`,
    );
  return { set, pathOf: (file) => join(pictures, file) };
}

async function readJson(path: string): Promise<unknown> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) throw new Failure(`There is no file of labels at ${path}.`);
  if (found.size > MOST_BYTES)
    throw new Failure(`${path} is ${found.size} bytes long; a file of labels has at most ${MOST_BYTES}.`);
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    throw new Failure(`${path} is not JSON: ${messageOf(error)}.`);
  }
}
