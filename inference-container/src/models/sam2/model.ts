/** Base of the families that first find boxes and then draw masks with SAM 2. */
import { Usage } from "../../device/usage.ts";
import { type Box, boxAround } from "../box.ts";
import { FamilyModel } from "../family-model.ts";
import type { GraphSet } from "../graph.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { Manifest, ManifestFile } from "../manifest.ts";
import type {
  AlikeObject,
  DrawnRegion,
  Instance,
  Picture,
  PictureEmbedding,
  Segmentation,
  SegmentRequest,
  UnservedPrompt,
} from "../model.ts";
import { gridArea, gridBounds } from "@segmentation/masks";
import type { Embedder } from "./embedder.ts";
import type { SegmenterManifest } from "./manifest.ts";
import type { Recall } from "./recall.ts";
import { type Drawing, Sam2Picture } from "./open-picture.ts";
import type { Detection, FoundBox } from "./queries.ts";
import { warmUpRuns } from "./regions.ts";
import type { Segmenter } from "./segmenter.ts";

/** A detector's boxes for a request's prompts, in the order of instances. */
export interface FoundBoxes {
  readonly boxes: readonly FoundBox[];
  readonly unserved: readonly UnservedPrompt[];
  /** True if the detector did not run on the picture. */
  readonly cached: boolean;
}

/** Parts of a family's model, besides its detector. */
export interface Sam2Parts {
  readonly manifest: Manifest & SegmenterManifest;
  readonly graphs: GraphSet;
  readonly segmenter: Segmenter;
  readonly recall: Recall;
  /** Undefined if the features can't leave the device. */
  readonly embedder: Embedder | undefined;
}

const NOTHING: FoundBoxes = { boxes: [], unserved: [], cached: true };

export abstract class Sam2Model<Parts extends Sam2Parts> extends FamilyModel {
  readonly drawsRegions = true;
  readonly followsRegions = true;
  readonly decoder?: ManifestFile;
  protected readonly parts: Parts;
  readonly #drawing: Drawing;
  /** The parts of an embedding that all pictures have. */
  readonly #about: Pick<PictureEmbedding, "model" | "decoder">;

  constructor(parts: Parts, options: LoadOptions) {
    const { manifest, graphs, segmenter, recall, embedder } = parts;
    super(manifest, graphs, options);
    this.parts = parts;
    const decoder = manifest.files.find(({ name }) => name === manifest.graphs.decoder.file);
    if (embedder !== undefined && decoder !== undefined) this.decoder = decoder;
    this.#drawing = { segmenter, recall, cleaning: manifest.masks, features: this.features };
    const { id, version, images, masks } = manifest;
    const { width, height } = images.segmenter;
    const { islandShare, holeShare } = masks;
    this.#about = { model: { id, version }, decoder: { width, height, islandShare, holeShare } };
  }

  /** Finds the boxes; not called for a request without prompts. */
  protected abstract find(picture: Picture, request: SegmentRequest, usage: Usage): Promise<FoundBoxes>;

  /**
   * Finds the objects like the examples of each thing, best first; absent if the family cannot.
   * @param examples boxes in picture pixels
   */
  protected findAlike?(
    picture: Picture,
    examples: readonly (readonly Box[])[],
    request: SegmentRequest,
    usage: Usage,
  ): Promise<Detection[][]>;

  /** Runs the decoder in each shape that pictures and clips give it. @param usage counts the runs */
  async warmUp(picture: Picture, usage = new Usage()): Promise<void> {
    const { width, height } = picture;
    using open = new Sam2Picture(this.#drawing, picture, usage, false);
    const [first] = await open.draw([{ box: [0, 0, width, height] }]);
    if (first === undefined) return;
    for (const regions of warmUpRuns(this.parts.manifest.masks.batch, picture, first.mask))
      await open.draw(regions);
  }

  async segment(picture: Picture, request: SegmentRequest): Promise<Segmentation> {
    const { prompts, regions = [], keepOpen = false } = request;
    const usage = new Usage(request.usage);
    const open = new Sam2Picture(this.#drawing, picture, usage, keepOpen);
    try {
      const found = prompts.length === 0 ? NOTHING : await this.find(picture, request, usage);
      const instances = await drawn(open, found.boxes);
      const drawnRegions = await open.draw(regions);
      const alike = await this.#alike(open, picture, request, usage);
      const { embedder } = this.parts;
      const tensors =
        request.withEmbedding === true ? await embedder?.embed(await open.held(), usage) : undefined;
      if (!keepOpen) open[Symbol.dispose]();
      return {
        instances,
        unserved: found.unserved,
        regions: drawnRegions,
        ...(alike !== undefined && { alike }),
        modelMs: usage.ms,
        featuresCached: found.cached && !open.computedFeatures,
        ...(tensors && { embedding: { ...this.#about, tensors } }),
        ...(keepOpen && { open }),
      };
    } catch (error) {
      open[Symbol.dispose]();
      throw error;
    }
  }

  /** The objects like the request's examples. SAM 2 draws an example of points, whose box then counts. */
  async #alike(
    open: Sam2Picture,
    picture: Picture,
    request: SegmentRequest,
    usage: Usage,
  ): Promise<AlikeObject[] | undefined> {
    const { examples = [] } = request;
    if (examples.length === 0 || this.findAlike === undefined) return undefined;
    const boxes: Box[][] = [];
    for (const regions of examples) {
      const pointed = regions.filter(({ box }) => box === undefined);
      const masks = await open.draw(pointed);
      const drawnBoxes = pointed.map(({ points: [{ x, y } = { x: 0, y: 0 }] = [] }, i) => {
        const mask = masks[i]?.mask;
        return (mask && gridBounds(mask, picture)) ?? boxAround(x, y, 1, 1);
      });
      boxes.push([...regions.flatMap(({ box }) => (box === undefined ? [] : [box])), ...drawnBoxes]);
    }
    const found = await this.findAlike(picture, boxes, request, usage);
    const named = found.flatMap((detections, promptIndex) =>
      detections.map(({ score, box }) => ({ promptIndex, score, box, faint: false })),
    );
    return (await drawn(open, named)).map(({ promptIndex, score, box, mask }) => {
      return { exampleIndex: promptIndex, score, box, mask };
    });
  }
}

/** The objects with their masks, without those that have no pixel. Encodes no picture without objects. */
async function drawn(open: Sam2Picture, found: readonly FoundBox[]): Promise<Instance[]> {
  // Draws an object that matches two prompts once.
  const distinct = [...new Map(found.map((one) => [one.box, one])).values()];
  const undrawn = distinct.filter(({ mask }) => mask === undefined);
  const masks = await open.draw(undrawn.map(({ box }) => ({ box })));
  const drawnIn = new Map<Box, Pick<DrawnRegion, "mask" | "appearance">>();
  for (const [at, { box }] of undrawn.entries()) {
    const one = masks[at];
    if (one !== undefined) drawnIn.set(box, one);
  }
  for (const { box, mask } of distinct) if (mask !== undefined) drawnIn.set(box, await open.seen(mask));
  return found.flatMap((one) => {
    const { mask, appearance } = drawnIn.get(one.box) ?? {};
    if (mask === undefined || gridArea(mask) === 0) return [];
    return [{ ...one, mask, ...(appearance !== undefined && { appearance }) }];
  });
}
