/** Opens folders of SAM 3: loads the graphs, and checks that they belong together. */
import { ModelFolderError } from "../errors.ts";
import type { FamilyModel } from "../family-model.ts";
import { checkSidecars, readManifest } from "../folder.ts";
import { checkRoles, type Graph, GraphSet } from "../graph.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { Manifest, TensorSpec } from "../manifest.ts";
import { Embedder } from "../sam2/embedder.ts";
import type { SegmenterManifest } from "../sam2/manifest.ts";
import { DECODER, PROMPT } from "../sam2/open.ts";
import { Recall } from "../sam2/recall.ts";
import { Segmenter } from "../sam2/segmenter.ts";
import { ClipTokenizer } from "../text/clip-tokenizer.ts";
import { Sam3Manifest } from "./manifest.ts";
import { type RegionParts, Sam3Model } from "./model.ts";
import { TextEncoder } from "./text-encoder.ts";

/**
 * Opens a folder of the family `sam3`: its graphs and tokenizer become a model.
 * @throws ModelFolderError if a graph or another file is not what the manifest says
 */
export async function openSam3(folder: string, options: LoadOptions): Promise<FamilyModel> {
  const manifest = await readManifest(folder, Sam3Manifest);
  await checkSidecars(folder, manifest.files);
  const tokenizer = await ClipTokenizer.load(folder, manifest.text);
  const graphs = new GraphSet(folder, options);
  try {
    // Small graphs first: a wrong one fails before the large one is read.
    const spec = manifest.graphs.regions;
    const regionDecoder = spec && (await graphs.load(spec));
    if (regionDecoder !== undefined) checkRoles(regionDecoder, "sam3", DECODER);
    const decoder = await graphs.load(manifest.graphs.decoder);
    const textGraph = await graphs.load(manifest.graphs.text);
    const image = await graphs.load(manifest.graphs.image);
    checkGraphs(image, textGraph, decoder);
    if (regionDecoder !== undefined) checkFed(regionDecoder, PROMPT, [image]);
    const feedsWords = (output: TensorSpec): boolean => feeds(decoder, output);
    const text = new TextEncoder(textGraph, tokenizer, feedsWords, options.textCacheBytes);
    await text.checkMask(manifest.golden.prompt, manifest.text);
    const wanted = (output: TensorSpec): boolean => feedsWords(output) || feeds(regionDecoder, output);
    const regions = regionDecoder && (await openRegions(graphs, manifest, image, regionDecoder, wanted));
    return new Sam3Model({ manifest, graphs, image, text, decoder, wanted, regions }, options);
  } catch (error) {
    await graphs.close();
    throw error;
  }
}

const feeds = (graph: Graph | undefined, { role }: TensorSpec): boolean =>
  graph?.inputs.some((input) => input.role === role) === true;

/** The inputs of the decoder of words that the adapter fills itself. */
const GIVEN = ["boxes", "boxLabels"];
const READ = ["boxes", "scores", "masks", "presence"];

/**
 * Checks that the graphs of words fit together: something provides each input of the decoder, in its type.
 * @throws ModelFolderError naming the tensor or the role without a counterpart
 */
function checkGraphs(image: Graph, text: Graph, decoder: Graph): void {
  checkRoles(image, "sam3", { inputs: ["image"] });
  checkRoles(text, "sam3", { inputs: ["ids", "tokenMask"] });
  const optional = decoder.inputs.map(({ role }) => role);
  checkRoles(decoder, "sam3", { inputs: [], optional, outputs: READ });
  checkFed(decoder, GIVEN, [image, text]);
}

/** @param given the roles that the adapter fills itself @param sources the graphs that provide the others */
function checkFed(decoder: Graph, given: readonly string[], sources: readonly Graph[]): void {
  for (const input of decoder.inputs.filter(({ role }) => !given.includes(role))) {
    const from = sources.flatMap((graph) =>
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

async function openRegions(
  graphs: GraphSet,
  { graphs: { image: encoder, regions }, image: input, masks, ...manifest }: Sam3Manifest,
  image: Graph,
  decoder: Graph,
  wanted: (output: TensorSpec) => boolean,
): Promise<RegionParts | undefined> {
  if (regions === undefined || masks === undefined) return undefined;
  const drawn: Manifest & SegmenterManifest = {
    ...manifest,
    images: { segmenter: input },
    graphs: { encoder, decoder: regions },
    masks,
  };
  return {
    manifest: drawn,
    segmenter: new Segmenter(image, decoder, drawn, wanted),
    recall: await Recall.load(graphs),
    embedder: await Embedder.load(graphs, decoder),
  };
}
