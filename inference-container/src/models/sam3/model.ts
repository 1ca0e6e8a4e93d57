/**
 * SAM 3: computes a picture's and a prompt's features once each, then runs the decoder of words per pair, and the decoder
 * of regions, if the export has it, per region.
 */
import type { Corners } from "@segmentation/masks";
import type { Held } from "../../device/held.ts";
import { Usage } from "../../device/usage.ts";
import { FamilyModel } from "../family-model.ts";
import type { Graph, GraphSet, Tensors } from "../graph.ts";
import { imageTensor } from "../image-tensor.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { Manifest, ManifestFile, TensorSpec } from "../manifest.ts";
import type { AlikeObject, Instance, Picture, Segmentation, SegmentRequest } from "../model.ts";
import { boxesOf, type DrawingParts, exampleBoxes, RegionDrawing } from "../sam2/drawing.ts";
import type { SegmenterManifest } from "../sam2/manifest.ts";
import type { Sam2Picture } from "../sam2/open-picture.ts";
import { severalThings } from "../text/prompt-list.ts";
import { filledTensor, tensorOf } from "../tensors.ts";
import { findInstances } from "./instances.ts";
import type { Sam3Manifest } from "./manifest.ts";
import type { TextEncoder } from "./text-encoder.ts";

/** The decoder of regions, with the parts of the manifest that it shares with SAM 2's. */
export interface RegionParts extends DrawingParts {
  readonly manifest: Manifest & SegmenterManifest;
}

interface Sam3Parts {
  readonly manifest: Sam3Manifest;
  readonly graphs: GraphSet;
  readonly image: Graph;
  readonly text: TextEncoder;
  readonly decoder: Graph;
  /** True for the image encoder's outputs that a decoder takes; the others are neither fetched nor kept. */
  readonly wanted: (output: TensorSpec) => boolean;
  readonly regions: RegionParts | undefined;
}

/** The prompt with which SAM 3 was trained for examples without words. */
const EXAMPLE_PROMPT = "visual";
/** The label of a box around an example; 0 is that of a counterexample. */
const ON_OBJECT = 1;

export class Sam3Model extends FamilyModel {
  readonly drawsRegions: boolean;
  readonly followsRegions: boolean;
  readonly priorSide?: number;
  readonly findsAlike: boolean;
  readonly decoder?: ManifestFile;
  readonly warmUp?: (picture: Picture) => Promise<void>;
  readonly #parts: Sam3Parts;
  readonly #drawing: RegionDrawing | undefined;

  constructor(parts: Sam3Parts, options: LoadOptions) {
    super(parts.manifest, parts.graphs, options);
    this.#parts = parts;
    // The export may have room for any number of boxes, for a fixed one, or for none.
    const room = (role: string): unknown =>
      parts.decoder.inputs.find((input) => input.role === role)?.shape[1];
    this.findsAlike = typeof room("boxes") === "string" && typeof room("boxLabels") === "string";
    const { regions } = parts;
    this.drawsRegions = regions !== undefined;
    this.followsRegions = this.drawsRegions;
    if (regions === undefined) return;
    const drawing = new RegionDrawing(regions.manifest, regions, this.features);
    this.#drawing = drawing;
    this.warmUp = (picture) => drawing.warmUp(picture);
    this.priorSide = regions.segmenter.priorSide;
    if (drawing.decoder !== undefined) this.decoder = drawing.decoder;
  }

  segment(picture: Picture, request: SegmentRequest): Promise<Segmentation> {
    const { keepOpen = false } = request;
    const usage = new Usage(request.usage);
    if (this.#drawing === undefined) return this.#answer(picture, request, usage, undefined);
    return this.#drawing.segment(picture, usage, keepOpen, (open) =>
      this.#answer(picture, request, usage, open),
    );
  }

  /** @param open the picture for regions; undefined if the export has no decoder of them */
  async #answer(
    picture: Picture,
    request: SegmentRequest,
    usage: Usage,
    open: Sam2Picture | undefined,
  ): Promise<Segmentation> {
    const { prompts, examples = [], regions = [], withEmbedding = false } = request;
    using features = await this.#features(picture, usage, open);
    const find = (prompt: string, boxes: Tensors): Promise<Omit<Instance, "promptIndex">[]> =>
      this.#find(features.held, prompt, boxes, picture, request, usage);
    const instances: Instance[] = [];
    for (const [promptIndex, prompt] of prompts.entries())
      for (const found of await find(prompt, this.#noBox()))
        instances.push({ promptIndex, ...found, ...(await open?.seen(found.mask)) });
    const alike: AlikeObject[] = [];
    for (const [exampleIndex, marked] of examples.entries()) {
      const boxes = open === undefined ? boxesOf(marked) : await exampleBoxes(open, marked, picture);
      for (const { score, box, mask } of await find(EXAMPLE_PROMPT, this.#boxes(boxes, picture)))
        alike.push({ exampleIndex, score, box, mask });
    }
    const drawn = await open?.draw(regions);
    const embedding = open && withEmbedding ? await this.#drawing?.embedding(open, usage) : undefined;
    return {
      instances,
      unserved: severalThings(prompts),
      ...(drawn !== undefined && { regions: drawn }),
      ...(examples.length > 0 && { alike }),
      ...(embedding && { embedding }),
      modelMs: usage.ms,
      featuresCached: features.cached,
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

  /** The picture's features; those of an open picture stay with it. */
  async #features(
    picture: Picture,
    usage: Usage,
    open: Sam2Picture | undefined,
  ): Promise<Disposable & { readonly held: Held; readonly cached: boolean }> {
    if (open !== undefined) {
      const held = await open.held();
      return { held, cached: !open.computedFeatures, [Symbol.dispose]: () => undefined };
    }
    const { value, cached } = await this.features.get(picture.contentHash, usage, () =>
      this.#encode(picture, usage),
    );
    return { held: value, cached, [Symbol.dispose]: () => value[Symbol.dispose]() };
  }

  async #encode(picture: Picture, usage: Usage): Promise<Held> {
    const { manifest, image, wanted } = this.#parts;
    const { tensor } = await imageTensor(picture, manifest.image, image.inputs[0]?.dtype);
    return image.hold(usage, { image: tensor }, { wanted, moved: ["image"], followed: true });
  }

  /** The decoder's inputs for examples: their boxes as centers and sizes, shares of the picture, and a label for each. */
  #boxes(boxes: readonly Corners[], { width, height }: Picture): Tensors {
    const { decoder } = this.#parts;
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
