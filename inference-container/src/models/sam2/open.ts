/** Opens the shared parts of folders whose model finds boxes first and draws their masks with SAM 2. */
import type { FamilyModel } from "../family-model.ts";
import { checkSidecars } from "../folder.ts";
import { checkRoles, type Graph, GraphSet, type Roles } from "../graph.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { GraphSpec, Manifest } from "../manifest.ts";
import type { DrawingParts } from "./drawing.ts";
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

/** Loads a graph. @param roles the inputs and outputs that the adapter uses */
type Load = (spec: GraphSpec, roles: Roles) => Promise<Graph>;

/**
 * Opens a folder's graphs; closes all of them if one is wrong.
 * @throws ModelFolderError if a graph or another file is not what the manifest says
 */
export async function openGraphs(
  folder: string,
  { family, files }: Manifest,
  options: LoadOptions,
  open: (graphs: GraphSet, load: Load) => Promise<FamilyModel>,
): Promise<FamilyModel> {
  await checkSidecars(folder, files);
  const graphs = new GraphSet(folder, options);
  try {
    return await open(graphs, async (spec, roles) => {
      const graph = await graphs.load(spec);
      checkRoles(graph, family, roles);
      return graph;
    });
  } catch (error) {
    await graphs.close();
    throw error;
  }
}

/** Prepares the drawing of regions. @param segmenter draws with the decoder */
export async function openDrawing(
  graphs: GraphSet,
  decoder: Graph,
  segmenter: Segmenter,
): Promise<DrawingParts> {
  const recall = await Recall.load(graphs);
  return { segmenter, recall, embedder: await Embedder.load(graphs, decoder) };
}

/** SAM 2's parts, from which a family makes its model. */
interface Opened extends DrawingParts {
  readonly graphs: GraphSet;
}

/**
 * Opens a folder with SAM 2.
 * @param open loads the other parts, and returns what makes the model
 * @throws ModelFolderError if a graph or another file is not what the manifest says
 */
export function openWithSam2(
  folder: string,
  manifest: Manifest & SegmenterManifest,
  options: LoadOptions,
  open: (load: Load) => Promise<(parts: Opened) => FamilyModel>,
): Promise<FamilyModel> {
  return openGraphs(folder, manifest, options, async (graphs, load) => {
    // SAM 2's encoder last: a wrong graph fails before it is read.
    const decoder = await load(manifest.graphs.decoder, DECODER);
    const make = await open(load);
    const segmenter = new Segmenter(await load(manifest.graphs.encoder, ENCODER), decoder, manifest);
    return make({ graphs, ...(await openDrawing(graphs, decoder, segmenter)) });
  });
}
