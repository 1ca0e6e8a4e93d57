/** Opens a folder of the family `builtin`: its graphs, tokenizer and noun table become a model. */
import type { FamilyModel } from "../family-model.ts";
import { readManifest } from "../folder.ts";
import { type Graph, GraphSet } from "../graph.ts";
import { openVocabulary } from "../labels/open-vocabulary.ts";
import type { LoadOptions } from "../loaded-model.ts";
import { Detector } from "./detector.ts";
import { BuiltinManifest } from "./manifest.ts";
import { BuiltinModel } from "./model.ts";
import { Embedder } from "../sam2/embedder.ts";
import { Recall } from "../sam2/recall.ts";
import { Segmenter } from "../sam2/segmenter.ts";

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
