/** Opens the words of a family of labels: the encoder of texts, its tokenizer and the table of nouns. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ModelFolderError } from "../errors.ts";
import type { Graph, Roles } from "../graph.ts";
import type { LabelsManifest } from "./manifest.ts";
import { TextEncoder } from "./text-encoder.ts";
import { readNounTable, Vocabulary } from "./vocabulary.ts";

/** The inputs and outputs of the encoder of texts. */
export const TEXT: Roles = { inputs: ["ids", "mask", "types"], outputs: ["states"] };

/** @throws ModelFolderError if a file is not a JSON object */
export async function openVocabulary(
  folder: string,
  manifest: LabelsManifest,
  graph: Graph,
  cacheBytes: number,
): Promise<Vocabulary> {
  const { tokenizer, tokenizerConfig, maxTokens, nouns } = manifest.text;
  const encoder = new TextEncoder(
    graph,
    await readObject(folder, tokenizer),
    await readObject(folder, tokenizerConfig),
    maxTokens,
  );
  const table = readNounTable(await readFile(join(folder, nouns), "utf8"));
  return Vocabulary.load(manifest, table, encoder, cacheBytes);
}

async function readObject(folder: string, name: string): Promise<object> {
  const parsed = z.looseObject({}).safeParse(JSON.parse(await readFile(join(folder, name), "utf8")));
  if (!parsed.success) throw new ModelFolderError(`${name} in ${folder} is not a JSON object.`);
  return parsed.data;
}
