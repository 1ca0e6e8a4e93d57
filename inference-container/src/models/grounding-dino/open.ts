/** Opens a folder of the family `grounding-dino-sam2`: its graphs and tokenizer become a model. */
import type { FamilyModel } from "../family-model.ts";
import { checkSidecars, readManifest } from "../folder.ts";
import { type Graph, GraphSet } from "../graph.ts";
import type { LoadOptions } from "../loaded-model.ts";
import { Segmenter } from "../sam2/segmenter.ts";
import { Detector } from "./detector.ts";
import { GroundingDinoManifest } from "./manifest.ts";
import { GroundingDinoModel } from "./model.ts";
import { PhraseTokenizer } from "./tokenizer.ts";
import { ModelFolderError } from "../errors.ts";

/** @throws ModelFolderError if a graph or another file is not what the manifest says */
export async function openGroundingDino(folder: string, options: LoadOptions): Promise<FamilyModel> {
  const manifest = await readManifest(folder, GroundingDinoManifest);
  await checkSidecars(folder, manifest.files);
  const tokenizer = await PhraseTokenizer.load(folder, manifest.text);
  const graphs = new GraphSet(folder, options);
  const load = async (kind: keyof GroundingDinoManifest["graphs"]): Promise<Graph> => {
    const graph = await graphs.load(manifest.graphs[kind]);
    checkRoles(kind, graph);
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

type Kind = keyof GroundingDinoManifest["graphs"];

const FEATURES = ["embedding", "fine", "middle"];
const INPUTS: Readonly<Record<Kind, readonly string[]>> = {
  detector: ["image", "content", "ids", "mask", "types"],
  encoder: ["image"],
  decoder: [...FEATURES, "points", "pointLabels", "priorMasks", "hasPriorMasks"],
};
const OUTPUTS: Readonly<Record<Kind, readonly string[]>> = {
  detector: ["scores", "boxes"],
  encoder: FEATURES,
  decoder: ["masks", "quality"],
};

/** @throws ModelFolderError naming a role that a graph lacks in the manifest, or that it should not have */
function checkRoles(kind: Kind, { file, inputs, outputs }: Graph): void {
  for (const [word, tensors, roles] of [
    ["input", inputs, INPUTS[kind]],
    ["output", outputs, OUTPUTS[kind]],
  ] as const)
    for (const role of roles)
      if (!tensors.some((tensor) => tensor.role === role))
        throw new ModelFolderError(`No ${word} of ${file} has the role "${role}" in the manifest.`);
  const odd = inputs.find(({ role }) => !INPUTS[kind].includes(role));
  if (odd !== undefined)
    throw new ModelFolderError(
      `The input "${odd.name}" of ${file} has the role "${odd.role}" in the manifest, which the family grounding-dino-sam2 doesn't know for this graph.`,
    );
}
