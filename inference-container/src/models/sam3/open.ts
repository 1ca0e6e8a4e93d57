/** Opens a folder of the family `sam3`: its graphs and tokenizer become a model. */
import type { FamilyModel } from "../family-model.ts";
import { checkSidecars, readManifest } from "../folder.ts";
import { type Graph, GraphSet } from "../graph.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { TensorSpec } from "../manifest.ts";
import { Sam3Manifest } from "./manifest.ts";
import { Sam3Model } from "./model.ts";
import { TextEncoder } from "./text-encoder.ts";
import { ClipTokenizer } from "./tokenizer.ts";
import { ModelFolderError } from "../errors.ts";

/** @throws ModelFolderError if a graph or another file is not what the manifest says */
export async function openSam3(folder: string, options: LoadOptions): Promise<FamilyModel> {
  const manifest = await readManifest(folder, Sam3Manifest);
  await checkSidecars(folder, manifest.files);
  const tokenizer = await ClipTokenizer.load(folder, manifest.text);
  const graphs = new GraphSet(folder, options);
  try {
    // Small graphs first: a wrong one is found before the large one is read.
    const decoder = await graphs.load(manifest.graphs.decoder);
    const textGraph = await graphs.load(manifest.graphs.text);
    const image = await graphs.load(manifest.graphs.image);
    checkRoles({ image, text: textGraph, decoder });
    const wanted = ({ role }: TensorSpec): boolean => decoder.inputs.some((input) => input.role === role);
    const text = new TextEncoder(textGraph, tokenizer, wanted, options.textCacheBytes);
    await text.checkMask(manifest.golden.prompt, manifest.text);
    return new Sam3Model({ manifest, graphs, image, text, decoder, wanted }, options);
  } catch (error) {
    await graphs.close();
    throw error;
  }
}

interface Sam3Graphs {
  readonly image: Graph;
  readonly text: Graph;
  readonly decoder: Graph;
}

/** What the adapter itself gives each graph. */
const GIVEN = {
  image: ["image"],
  text: ["ids", "tokenMask"],
  decoder: ["width", "height", "boxes", "boxLabels", "boxMask"],
} as const;

/** What the adapter itself reads from the decoder. */
const FOUND = ["boxes", "scores", "masks"];

/** @throws ModelFolderError naming the tensor or the role without a counterpart */
function checkRoles(graphs: Sam3Graphs): void {
  const { image, text, decoder } = graphs;
  for (const kind of ["image", "text"] as const) needInputs(graphs[kind], GIVEN[kind]);
  for (const role of FOUND)
    if (!decoder.outputs.some((output) => output.role === role))
      throw new ModelFolderError(`No output of ${decoder.file} has the role "${role}" in the manifest.`);
  for (const input of decoder.inputs) {
    if (GIVEN.decoder.some((role) => role === input.role)) continue;
    const from = [image, text].flatMap((graph) =>
      graph.outputs.filter(({ role }) => role === input.role).map((output) => ({ graph, output })),
    )[0];
    if (from === undefined)
      throw new ModelFolderError(
        `The input "${input.name}" of ${decoder.file} has the role "${input.role}" in the manifest, which no other graph provides.`,
      );
    if (from.output.dtype !== input.dtype)
      throw new ModelFolderError(
        `The input "${input.name}" of ${decoder.file} is ${input.dtype}, but "${from.output.name}" of ${from.graph.file}, which feeds it, is ${from.output.dtype}: the graphs come from different exports.`,
      );
  }
}

/** Checks that the graph takes the first of the roles, and none outside the list. */
function needInputs({ file, inputs }: Graph, [needed, ...others]: readonly string[]): void {
  if (!inputs.some(({ role }) => role === needed))
    throw new ModelFolderError(`No input of ${file} has the role "${needed}" in the manifest.`);
  const odd = inputs.find(({ role }) => role !== needed && !others.includes(role));
  if (odd !== undefined)
    throw new ModelFolderError(
      `The input "${odd.name}" of ${file} has the role "${odd.role}" in the manifest, which the family sam3 doesn't know for this graph.`,
    );
}
