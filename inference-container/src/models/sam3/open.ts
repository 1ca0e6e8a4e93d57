/** Opens a folder of the family `sam3`: its graphs and tokenizer become a model. */
import type { FamilyModel } from "../family-model.ts";
import { checkSidecars, readManifest } from "../folder.ts";
import { checkRoles, type Graph, GraphSet } from "../graph.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { TensorSpec } from "../manifest.ts";
import { Sam3Manifest } from "./manifest.ts";
import { Sam3Model } from "./model.ts";
import { TextEncoder } from "./text-encoder.ts";
import { ClipTokenizer } from "../clip-tokenizer.ts";
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
    checkGraphs(image, textGraph, decoder);
    const wanted = ({ role }: TensorSpec): boolean => decoder.inputs.some((input) => input.role === role);
    const text = new TextEncoder(textGraph, tokenizer, wanted, options.textCacheBytes);
    await text.checkMask(manifest.golden.prompt, manifest.text);
    return new Sam3Model({ manifest, graphs, image, text, decoder, wanted }, options);
  } catch (error) {
    await graphs.close();
    throw error;
  }
}

/** What the adapter itself gives the decoder, and reads from it. */
const GIVEN = new Set(["boxes", "boxLabels"]);
const READ = ["boxes", "scores", "masks", "presence"];

/**
 * Checks that the three graphs fit together: something provides each input of the decoder, in its type.
 * @throws ModelFolderError naming the tensor or the role without a counterpart
 */
function checkGraphs(image: Graph, text: Graph, decoder: Graph): void {
  checkRoles(image, "sam3", { inputs: ["image"] });
  checkRoles(text, "sam3", { inputs: ["ids", "tokenMask"] });
  const fed = decoder.inputs.filter(({ role }) => !GIVEN.has(role));
  const optional = decoder.inputs.map(({ role }) => role);
  checkRoles(decoder, "sam3", { inputs: [], optional, outputs: READ });
  for (const input of fed) {
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
