/** Opens a folder of the family `builtin`: its graphs, tokenizer and noun table become a model. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ModelFolderError } from "../errors.ts";
import type { FamilyModel } from "../family-model.ts";
import { readManifest } from "../folder.ts";
import { type Graph, GraphSet } from "../graph.ts";
import type { LoadOptions } from "../loaded-model.ts";
import { Detector } from "./detector.ts";
import { BuiltinManifest } from "./manifest.ts";
import { BuiltinModel } from "./model.ts";
import { readNounTable, Vocabulary } from "./vocabulary.ts";
import { Embedder } from "../sam2/embedder.ts";
import { Recall } from "../sam2/recall.ts";
import { Segmenter } from "../sam2/segmenter.ts";
import { TextEncoder } from "./text-encoder.ts";

/** @throws ModelFolderError if a graph or another file is not what the manifest says */
export async function openBuiltin(folder: string, options: LoadOptions): Promise<FamilyModel> {
  const manifest = await readManifest(folder, BuiltinManifest);
  const graphs = new GraphSet(folder, options);
  const load = (name: keyof BuiltinManifest["graphs"]): Promise<Graph> => graphs.load(manifest.graphs[name]);
  try {
    // Small graphs first: a wrong one fails before the large one is read.
    const text = await load("text");
    const detector = new Detector(await load("detector"), manifest);
    const decoder = await load("decoder");
    const segmenter = new Segmenter(await load("encoder"), decoder, manifest);
    const vocabulary = await openVocabulary(folder, manifest, text, options.textCacheBytes);
    const [recall, embedder] = [await Recall.load(graphs), await Embedder.load(graphs, decoder)];
    const parts = { manifest, detector, segmenter, recall, embedder, vocabulary, graphs };
    return new BuiltinModel(parts, options);
  } catch (error) {
    await graphs.close();
    throw error;
  }
}

async function openVocabulary(
  folder: string,
  manifest: BuiltinManifest,
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
