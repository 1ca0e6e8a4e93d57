/** SAM 3 with text prompts: computes a picture's and a prompt's features once each, then runs the decoder per pair. */
import type { Held } from "../../device/held.ts";
import { Usage } from "../../device/usage.ts";
import { ClipTokenizer } from "../text/clip-tokenizer.ts";
import { ModelFolderError } from "../errors.ts";
import { FamilyModel } from "../family-model.ts";
import { checkSidecars, readManifest } from "../folder.ts";
import { checkRoles, type Graph, GraphSet, type Tensors } from "../graph.ts";
import { imageTensor } from "../image-tensor.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { TensorSpec } from "../manifest.ts";
import type { Instance, Picture, Segmentation, SegmentRequest } from "../model.ts";
import { severalThings } from "../text/prompt-list.ts";
import { filledTensor } from "../tensors.ts";
import { findInstances } from "./instances.ts";
import { Sam3Manifest } from "./manifest.ts";
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

/** The decoder's inputs that the adapter fills itself. */
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

interface Sam3Parts {
  readonly manifest: Sam3Manifest;
  readonly graphs: GraphSet;
  readonly image: Graph;
  readonly text: TextEncoder;
  readonly decoder: Graph;
  /** True for the image encoder's outputs that the decoder takes; the others are neither fetched nor kept. */
  readonly wanted: (output: TensorSpec) => boolean;
}

class Sam3Model extends FamilyModel {
  readonly #parts: Sam3Parts;

  constructor(parts: Sam3Parts, options: LoadOptions) {
    super(parts.manifest, parts.graphs, options);
    this.#parts = parts;
  }

  async segment(picture: Picture, request: SegmentRequest): Promise<Segmentation> {
    const { manifest, text, decoder } = this.#parts;
    const usage = new Usage(request.usage);
    const { value, cached } = await this.features.get(picture.contentHash, usage, () =>
      this.#encode(picture, usage),
    );
    using features = value;
    const { prompts } = request;
    const instances: Instance[] = [];
    for (const [promptIndex, prompt] of prompts.entries()) {
      using words = await text.encode(prompt, usage);
      const feeds = { ...this.#noBox(), ...features.tensors, ...words.tensors };
      const results = await decoder.run(usage, feeds, { followed: promptIndex < prompts.length - 1 });
      const found = findInstances(results, manifest.outputs, picture, request);
      for (const instance of found) instances.push({ promptIndex, ...instance });
    }
    const unserved = severalThings(prompts);
    return { instances, unserved, modelMs: usage.ms, featuresCached: cached };
  }

  override forget(): void {
    super.forget();
    this.#parts.text.forget();
  }

  async #encode(picture: Picture, usage: Usage): Promise<Held> {
    const { manifest, image, wanted } = this.#parts;
    const { tensor } = await imageTensor(picture, manifest.image, image.inputs[0]?.dtype);
    return image.hold(usage, { image: tensor }, { wanted, moved: ["image"], followed: true });
  }

  /** The decoder's inputs for a box prompt: there is none. */
  #noBox(): Tensors {
    const { decoder, manifest } = this.#parts;
    const values = new Map([
      ["boxes", 0],
      ["boxLabels", manifest.absentBoxLabel],
    ]);
    return Object.fromEntries(
      decoder.inputs.flatMap((spec) => {
        const value = values.get(spec.role);
        return value === undefined ? [] : [[spec.role, filledTensor(spec, value)] as const];
      }),
    );
  }
}
