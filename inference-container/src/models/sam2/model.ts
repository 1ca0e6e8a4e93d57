/** Base of the families that first find boxes and then draw masks with SAM 2. */
import { Usage } from "../../device/usage.ts";
import { FamilyModel } from "../family-model.ts";
import type { GraphSet } from "../graph.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { Manifest, ManifestFile } from "../manifest.ts";
import type {
  AlikeObject,
  DrawnRegion,
  Instance,
  Picture,
  Segmentation,
  SegmentRequest,
  UnservedPrompt,
} from "../model.ts";
import { type Corners, gridArea } from "@segmentation/masks";
import { type DrawingParts, exampleBoxes, RegionDrawing } from "./drawing.ts";
import type { SegmenterManifest } from "./manifest.ts";
import type { Sam2Picture } from "./open-picture.ts";
import type { Detection, FoundBox } from "./queries.ts";

/** A detector's boxes for a request's prompts, in the order of instances. */
export interface FoundBoxes {
  readonly boxes: readonly FoundBox[];
  readonly unserved: readonly UnservedPrompt[];
  /** True if the detector did not run on the picture. */
  readonly cached: boolean;
}

/** Parts of a family's model, besides its detector. */
export interface Sam2Parts extends DrawingParts {
  readonly manifest: Manifest & SegmenterManifest;
  readonly graphs: GraphSet;
}

const NOTHING: FoundBoxes = { boxes: [], unserved: [], cached: true };

export abstract class Sam2Model<Parts extends Sam2Parts> extends FamilyModel {
  readonly drawsRegions = true;
  readonly followsRegions = true;
  readonly decoder?: ManifestFile;
  protected readonly parts: Parts;
  readonly #drawing: RegionDrawing;

  constructor(parts: Parts, options: LoadOptions) {
    super(parts.manifest, parts.graphs, options);
    this.parts = parts;
    this.#drawing = new RegionDrawing(parts.manifest, parts, this.features);
    const { decoder } = this.#drawing;
    if (decoder !== undefined) this.decoder = decoder;
  }

  /** Finds the boxes; not called for a request without prompts. */
  protected abstract find(picture: Picture, request: SegmentRequest, usage: Usage): Promise<FoundBoxes>;

  /**
   * Finds the objects like the examples of each thing, best first; absent if the family cannot.
   * @param examples boxes in picture pixels
   */
  protected findAlike?(
    picture: Picture,
    examples: readonly (readonly Corners[])[],
    request: SegmentRequest,
    usage: Usage,
  ): Promise<Detection[][]>;

  warmUp(picture: Picture, usage?: Usage): Promise<void> {
    return this.#drawing.warmUp(picture, usage);
  }

  segment(picture: Picture, request: SegmentRequest): Promise<Segmentation> {
    const { prompts, regions = [], keepOpen = false, withEmbedding = false } = request;
    const usage = new Usage(request.usage);
    return this.#drawing.segment(picture, usage, keepOpen, async (open) => {
      const found = prompts.length === 0 ? NOTHING : await this.find(picture, request, usage);
      const instances = await drawn(open, found.boxes);
      const drawnRegions = await open.draw(regions);
      const alike = await this.#alike(open, picture, request, usage);
      const embedding = withEmbedding ? await this.#drawing.embedding(open, usage) : undefined;
      return {
        instances,
        unserved: found.unserved,
        regions: drawnRegions,
        ...(alike !== undefined && { alike }),
        modelMs: usage.ms,
        featuresCached: found.cached && !open.computedFeatures,
        ...(embedding && { embedding }),
      };
    });
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
    const boxes: Corners[][] = [];
    for (const regions of examples) boxes.push(await exampleBoxes(open, regions, picture));
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
  const drawnIn = new Map<Corners, Pick<DrawnRegion, "mask" | "appearance">>();
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
