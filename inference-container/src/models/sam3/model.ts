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
import type { Region } from "@segmentation/masks";
import type { AlikeObject, Instance, Picture, Segmentation, SegmentRequest } from "../model.ts";
import { severalThings } from "../text/prompt-list.ts";
import { filledTensor, tensorOf } from "../tensors.ts";
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

/** The prompt with which SAM 3 was trained for examples without words. */
const EXAMPLE_PROMPT = "visual";
/** The label of a box around an example; 0 is that of a counterexample. */
const ON_OBJECT = 1;

class Sam3Model extends FamilyModel {
  readonly findsAlike: boolean;
  readonly #parts: Sam3Parts;

  constructor(parts: Sam3Parts, options: LoadOptions) {
    super(parts.manifest, parts.graphs, options);
    this.#parts = parts;
    // The export may have room for any number of boxes, for a fixed one, or for none.
    const room = (role: string): unknown =>
      parts.decoder.inputs.find((input) => input.role === role)?.shape[1];
    this.findsAlike = typeof room("boxes") === "string" && typeof room("boxLabels") === "string";
  }

  async segment(picture: Picture, request: SegmentRequest): Promise<Segmentation> {
    const usage = new Usage(request.usage);
    const { value, cached } = await this.features.get(picture.contentHash, usage, () =>
      this.#encode(picture, usage),
    );
    using features = value;
    const { prompts, examples = [] } = request;
    const find = (prompt: string, boxes: Tensors): Promise<Omit<Instance, "promptIndex">[]> =>
      this.#find(features, prompt, boxes, picture, request, usage);
    const instances: Instance[] = [];
    for (const [promptIndex, prompt] of prompts.entries())
      for (const found of await find(prompt, this.#noBox())) instances.push({ promptIndex, ...found });
    const alike: AlikeObject[] = [];
    for (const [exampleIndex, regions] of examples.entries()) {
      const found = await find(EXAMPLE_PROMPT, this.#boxes(regions, picture));
      for (const { score, box, mask } of found) alike.push({ exampleIndex, score, box, mask });
    }
    return {
      instances,
      unserved: severalThings(prompts),
      ...(examples.length > 0 && { alike }),
      modelMs: usage.ms,
      featuresCached: cached,
    };
  }

  async #find(
    features: Held,
    prompt: string,
    boxes: Tensors,
    picture: Picture,
    request: SegmentRequest,
    usage: Usage,
  ): Promise<Omit<Instance, "promptIndex">[]> {
    const { manifest, text, decoder } = this.#parts;
    using words = await text.encode(prompt, usage);
    const feeds = { ...boxes, ...features.tensors, ...words.tensors };
    const results = await decoder.run(usage, feeds, { followed: true });
    return findInstances(results, manifest.outputs, picture, request);
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

  /** The decoder's inputs for examples: their boxes as centers and sizes, shares of the picture, and a label for each. */
  #boxes(examples: readonly Region[], { width, height }: Picture): Tensors {
    const { decoder } = this.#parts;
    const boxes = examples.flatMap(({ box }) => (box === undefined ? [] : [box]));
    const values = boxes.flatMap(([x1, y1, x2, y2]) => [
      (x1 + x2) / 2 / width,
      (y1 + y2) / 2 / height,
      (x2 - x1) / width,
      (y2 - y1) / height,
    ]);
    const labels = boxes.map(() => ON_OBJECT);
    return {
      boxes: tensorOf(decoder.input("boxes").dtype, values, [1, boxes.length, 4]),
      boxLabels: tensorOf(decoder.input("boxLabels").dtype, labels, [1, boxes.length]),
    };
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
