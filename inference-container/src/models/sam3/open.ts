/** Opens a folder of the family `sam3`: its graphs and tokenizer become a model. */
import type { FamilyModel } from "../family-model.ts";
import { checkSidecars, readManifest } from "../folder.ts";
import { GraphSet } from "../graph-set.ts";
import type { LoadOptions } from "../load-options.ts";
import type { TensorSpec } from "../manifest.ts";
import { Sam3Manifest } from "./manifest.ts";
import { Sam3Model } from "./model.ts";
import { checkRoles } from "./roles.ts";
import { TextEncoder } from "./text-encoder.ts";
import { ClipTokenizer } from "./tokenizer.ts";

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
