/** Opens a folder of the family `grounding-dino-sam2`: its graphs and tokenizer become a model. */
import type { FamilyModel } from "../family-model.ts";
import { checkSidecars, readManifest } from "../folder.ts";
import { checkRoles, type Graph, GraphSet, type Roles } from "../graph.ts";
import type { LoadOptions } from "../loaded-model.ts";
import { Segmenter } from "../sam2/segmenter.ts";
import { Detector } from "./detector.ts";
import { GroundingDinoManifest } from "./manifest.ts";
import { GroundingDinoModel } from "./model.ts";
import { PhraseTokenizer } from "./tokenizer.ts";

const FEATURES = ["embedding", "fine", "middle"];

/** What the adapter gives each graph, and reads from it. */
const ROLES: Readonly<Record<keyof GroundingDinoManifest["graphs"], Roles>> = {
  detector: { inputs: ["image", "content", "ids", "mask", "types"], outputs: ["scores", "boxes"] },
  encoder: { inputs: ["image"], outputs: FEATURES },
  decoder: {
    inputs: [...FEATURES, "points", "pointLabels", "priorMasks", "hasPriorMasks"],
    outputs: ["masks", "quality"],
  },
};

/** @throws ModelFolderError if a graph or another file is not what the manifest says */
export async function openGroundingDino(folder: string, options: LoadOptions): Promise<FamilyModel> {
  const manifest = await readManifest(folder, GroundingDinoManifest);
  await checkSidecars(folder, manifest.files);
  const tokenizer = await PhraseTokenizer.load(folder, manifest.text);
  const graphs = new GraphSet(folder, options);
  const load = async (kind: keyof GroundingDinoManifest["graphs"]): Promise<Graph> => {
    const graph = await graphs.load(manifest.graphs[kind]);
    checkRoles(graph, manifest.family, ROLES[kind]);
    return graph;
  };
  try {
    // Small graphs first: a wrong one is found before the large one is read.
    const decoder = await load("decoder");
    const segmenter = new Segmenter(await load("encoder"), decoder, manifest);
    const detector = new Detector(await load("detector"), tokenizer, manifest);
    return new GroundingDinoModel({ manifest, graphs, detector, segmenter }, options);
  } catch (error) {
    await graphs.close();
    throw error;
  }
}
