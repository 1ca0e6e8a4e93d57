/** Opens the shared parts of folders whose model finds boxes first and draws their masks with SAM 2. */
import type { FamilyModel } from "../family-model.ts";
import { checkSidecars } from "../folder.ts";
import { checkRoles, type Graph, GraphSet, type Roles } from "../graph.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { GraphSpec, Manifest } from "../manifest.ts";
import type { SegmenterManifest } from "./manifest.ts";
import { Embedder } from "./embedder.ts";
import { Recall } from "./recall.ts";
import { Segmenter } from "./segmenter.ts";

const FEATURES = ["embedding", "fine", "middle"];
const ENCODER: Roles = { inputs: ["image"], outputs: FEATURES };
/** The decoder's inputs that the adapter fills itself. */
export const PROMPT = ["points", "pointLabels", "priorMasks", "hasPriorMasks"];
export const DECODER: Roles = {
  inputs: [...FEATURES, ...PROMPT],
  outputs: ["masks", "quality"],
};

/** Parts from which a family makes its model. */
interface Opened {
  readonly graphs: GraphSet;
  readonly segmenter: Segmenter;
  readonly recall: Recall;
  readonly embedder: Embedder | undefined;
  /** Loads a further graph. @param roles the inputs and outputs that the adapter uses */
  readonly load: (spec: GraphSpec, roles: Roles) => Promise<Graph>;
}

/**
 * Loads SAM 2, then the rest with `open`; closes all graphs if one is wrong.
 * @throws ModelFolderError if a graph or another file is not what the manifest says
 */
export async function openWithSam2(
  folder: string,
  manifest: Manifest & SegmenterManifest,
  options: LoadOptions,
  open: (parts: Opened) => Promise<FamilyModel>,
): Promise<FamilyModel> {
  await checkSidecars(folder, manifest.files);
  const graphs = new GraphSet(folder, options);
  const load: Opened["load"] = async (spec, roles) => {
    const graph = await graphs.load(spec);
    checkRoles(graph, manifest.family, roles);
    return graph;
  };
  try {
    // The small graph first: a wrong one fails before the large one is read.
    const decoder = await load(manifest.graphs.decoder, DECODER);
    const segmenter = new Segmenter(await load(manifest.graphs.encoder, ENCODER), decoder, manifest);
    const [recall, embedder] = [await Recall.load(graphs), await Embedder.load(graphs, decoder)];
    return await open({ graphs, segmenter, recall, embedder, load });
  } catch (error) {
    await graphs.close();
    throw error;
  }
}
