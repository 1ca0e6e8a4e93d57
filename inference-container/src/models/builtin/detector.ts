/** EfficientDet-Lite: finds labelled boxes in a picture. */
import type { Usage } from "../../device/usage.ts";
import { clipBox, suppress, type Box } from "../box.ts";
import { floats, type Graph } from "../graph.ts";
import { imageTensor } from "../image-tensor.ts";
import type { Picture } from "../model.ts";
import type { BuiltinManifest } from "./manifest.ts";

export interface Detection {
  /** Index into the vocabulary's labels. */
  readonly label: number;
  readonly score: number;
  /** In picture pixels, inside the picture. */
  readonly box: Box;
}

export class Detector {
  readonly #graph: Graph;
  readonly #manifest: BuiltinManifest;

  constructor(graph: Graph, manifest: BuiltinManifest) {
    this.#graph = graph;
    this.#manifest = manifest;
  }

  /** All objects of the vocabulary, faint ones included, best first, after NMS per label. */
  async detect(picture: Picture, usage: Usage): Promise<Detection[]> {
    const { images, vocabulary, detection } = this.#manifest;
    const input = await imageTensor(picture, images.detector);
    const results = await this.#graph.run(usage, { image: input.tensor }, { moved: ["image"] });
    const [boxes, scores] = [floats(results, "boxes"), floats(results, "scores")];
    const scale: Box = [
      images.detector.width / input.scaleX,
      images.detector.height / input.scaleY,
      images.detector.width / input.scaleX,
      images.detector.height / input.scaleY,
    ];
    const columns = scores.length / (boxes.length / 4);
    const found = vocabulary.labels.flatMap(({ column }, label) => {
      const candidates: Detection[] = [];
      for (let anchor = 0; 4 * anchor < boxes.length; anchor += 1) {
        const score = scores[anchor * columns + column] ?? 0;
        if (score < detection.faintFloor) continue;
        const box = clipBox(scaled(boxes, 4 * anchor, scale), picture.width, picture.height);
        if (box !== undefined) candidates.push({ label, score, box });
      }
      return suppress(candidates, detection.nmsIou);
    });
    return found.toSorted((a, b) => b.score - a.score).slice(0, detection.maxBoxes);
  }
}

function scaled(boxes: Float32Array, at: number, [sx1, sy1, sx2, sy2]: Box): Box {
  const side = (i: number, scale: number): number => (boxes[at + i] ?? 0) * scale;
  return [side(0, sx1), side(1, sy1), side(2, sx2), side(3, sy2)];
}
