/** RF-DETR Seg: finds the boxes and the masks of COCO's categories in one run (Robinson et al., 2025). */
import type { Usage } from "../../device/usage.ts";
import { sigmoid } from "../arithmetic.ts";
import { confidenceOf } from "../confidence.ts";
import { ModelFolderError } from "../errors.ts";
import { floats, type Graph } from "../graph.ts";
import { imageTensor } from "../image-tensor.ts";
import type { Label } from "../labels/manifest.ts";
import type { Labelled } from "../labels/model.ts";
import type { ImageInput, TensorSpec } from "../manifest.ts";
import type { Corners, LogitGrid } from "@segmentation/masks";
import type { Picture } from "../model.ts";
import { queryBoxes } from "../sam2/queries.ts";
import type { RfDetrManifest } from "./manifest.ts";

/** The graph's columns are COCO's category ids, 0 to 90; the embedded detector's columns begin with id 1. */
const COLUMNS = 91;
const FIRST_ID = 1;

/** A query's score for one column. */
interface Pair {
  readonly query: number;
  readonly column: number;
  readonly score: number;
}

export class Detector {
  readonly #graph: Graph;
  readonly #manifest: Pick<RfDetrManifest, "detection">;
  readonly #input: ImageInput;
  /** Indexes of labels by the graph's columns. */
  readonly #labels: ReadonlyMap<number, number>;

  /** @throws ModelFolderError if the graph has no fixed input size, or other categories than COCO's */
  constructor(graph: Graph, manifest: Pick<RfDetrManifest, "image" | "detection">, labels: readonly Label[]) {
    this.#graph = graph;
    this.#manifest = manifest;
    this.#labels = new Map(labels.map(({ column }, label) => [column + FIRST_ID, label]));
    const scores = graph.outputs.find(({ role }) => role === "scores")?.shape[2];
    if (typeof scores === "number" && scores !== COLUMNS)
      throw new ModelFolderError(
        `${graph.file} has ${scores} classes. The family rf-detr-seg serves the ${COLUMNS} columns of COCO, not a model trained for other classes.`,
      );
    this.#input = {
      ...sizeOf(graph.file, graph.input("image")),
      ...manifest.image,
      fit: "stretch",
      kernel: "unfiltered",
      padding: 0,
    };
  }

  get input(): ImageInput {
    return this.#input;
  }

  /**
   * Finds all objects, faint ones included, most confident first. As in the model's own code, the best pairs of a query
   * and a category count, as many as there are queries, without NMS: a query may have several categories.
   * @throws Error if the results don't fit each other
   */
  async detect(picture: Picture, usage: Usage): Promise<Labelled[]> {
    const { tensor } = await imageTensor(picture, this.#input, this.#graph.input("image").dtype);
    const results = await this.#graph.run(usage, { image: tensor }, { moved: ["image"] });
    const [boxes, scores, masks] = [
      floats(results, "boxes"),
      floats(results, "scores"),
      floats(results, "masks"),
    ];
    const queries = boxes.length / 4;
    const [height = 0, width = 0] = results["masks"]?.dims.slice(-2) ?? [];
    if (scores.length !== COLUMNS * queries || masks.length !== queries * width * height)
      throw new Error(
        `The detector gave ${scores.length} logits and ${masks.length} mask logits for ${queries} boxes.`,
      );
    const inPicture = queryBoxes(boxes, picture, picture);
    // One box and one mask for all categories of a query.
    const drawn = new Map<number, { readonly box: Corners; readonly mask: LogitGrid } | undefined>();
    return this.#best(scores, queries).flatMap(({ query, column, score }) => {
      const label = this.#labels.get(column);
      if (label === undefined) return [];
      if (!drawn.has(query)) {
        const box = inPicture[query];
        // A copy: a view would keep the masks of all queries in memory.
        const logits = masks.slice(query * width * height, (query + 1) * width * height);
        drawn.set(query, box && { box, mask: { width, height, logits } });
      }
      const found = drawn.get(query);
      return found === undefined ? [] : [{ label, score, ...found }];
    });
  }

  #best(logits: Float32Array, queries: number): Pair[] {
    const { confidence, floor, faintFloor } = this.#manifest.detection;
    const least = Math.min(floor, faintFloor);
    const pairs: Pair[] = [];
    for (const [at, logit] of logits.entries()) {
      const score = confidenceOf(sigmoid(logit), confidence);
      if (score >= least) pairs.push({ query: Math.floor(at / COLUMNS), column: at % COLUMNS, score });
    }
    return pairs.toSorted((a, b) => b.score - a.score).slice(0, queries);
  }
}

function sizeOf(file: string, { name, shape }: TensorSpec): { width: number; height: number } {
  const [, , height, width] = shape;
  if (typeof width === "number" && typeof height === "number") return { width, height };
  throw new ModelFolderError(`The input "${name}" of ${file} has no fixed height and width.`);
}
