/** Opens folders of SAM 3: loads the graphs, and checks that they belong together. */
import { ModelFolderError } from "../errors.ts";
import type { FamilyModel } from "../family-model.ts";
import { readManifest } from "../folder.ts";
import { checkRoles, type Graph, type GraphSet } from "../graph.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { Manifest, TensorSpec } from "../manifest.ts";
import type { SegmenterManifest } from "../sam2/manifest.ts";
import { DECODER, openDrawing, openGraphs, PROMPT } from "../sam2/open.ts";
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
  const tokenizer = await ClipTokenizer.load(folder, manifest.text);
  return openGraphs(folder, manifest, options, async (graphs, load) => {
    // Small graphs first: a wrong one fails before the large one is read.
    const spec = manifest.graphs.regions;
    const regionDecoder = spec && (await load(spec, DECODER));
    const decoder = await graphs.load(manifest.graphs.decoder);
    const optional = decoder.inputs.map(({ role }) => role);
    checkRoles(decoder, "sam3", { inputs: [], optional, outputs: READ });
    const textGraph = await load(manifest.graphs.text, { inputs: ["ids", "tokenMask"] });
    const image = await load(manifest.graphs.image, { inputs: ["image"] });
    checkFed(decoder, GIVEN, [image, textGraph]);
    if (regionDecoder !== undefined) checkFed(regionDecoder, PROMPT, [image]);
    const feedsWords = (output: TensorSpec): boolean => feeds(decoder, output);
    const text = new TextEncoder(textGraph, tokenizer, feedsWords, options.textCacheBytes);
    await text.checkMask(manifest.golden.prompt, manifest.text);
    const wanted = (output: TensorSpec): boolean => feedsWords(output) || feeds(regionDecoder, output);
    const regions = regionDecoder && (await openRegions(graphs, manifest, image, regionDecoder, wanted));
    return new Sam3Model({ manifest, graphs, image, text, decoder, wanted, regions }, options);
  });
}

const feeds = (graph: Graph | undefined, { role }: TensorSpec): boolean =>
  graph?.inputs.some((input) => input.role === role) === true;

/** The inputs of the decoder of words that the adapter fills itself. */
const GIVEN = ["boxes", "boxLabels"];
const READ = ["boxes", "scores", "masks", "presence"];

/**
 * Checks that something provides each input of a decoder, in its type.
 * @param given the roles that the adapter fills itself @param sources the graphs that provide the others
 * @throws ModelFolderError naming the tensor or the role without a counterpart
 */
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
  const segmenter = new Segmenter(image, decoder, drawn, wanted);
  return { manifest: drawn, ...(await openDrawing(graphs, decoder, segmenter)) };
}
