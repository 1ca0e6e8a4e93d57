/** EfficientDet-Lite: finds labeled boxes in a picture. */
import type { Corners } from "@segmentation/masks";
import type { Usage } from "../../device/usage.ts";
import { clipBox, suppress } from "../box.ts";
import { floats, type Graph, type Tensors } from "../graph.ts";
import { imageTensor, type View } from "../image-tensor.ts";
import type { Labelled } from "../labels/model.ts";
import type { Picture } from "../model.ts";
import { confidenceOf, scoreOf } from "../confidence.ts";
import { isCutOff, mergeViews, viewsOf } from "./views.ts";
import type { BuiltinManifest } from "./manifest.ts";

/** Position of a view in the picture and in the graph's input. */
interface Scaling {
  readonly view: View;
  /** Picture pixels per unit of the graph's boxes, which is the input's side. */
  readonly across: number;
  readonly down: number;
}

export class Detector {
  readonly #graph: Graph;
  readonly #manifest: BuiltinManifest;

  constructor(graph: Graph, manifest: BuiltinManifest) {
    this.#graph = graph;
    this.#manifest = manifest;
  }

  /** All objects of the vocabulary that the views together show, faint ones included, most confident first. */
  async detect(picture: Picture, usage: Usage): Promise<Labelled[]> {
    const { images, detection } = this.#manifest;
    const views = viewsOf(picture, images.detector, detection.views);
    // The engine prepares the next view while the device runs one.
    const seen = await Promise.all(views.map((view) => this.#look(picture, view, usage)));
    const merged = mergeViews(seen.flat(), detection.nmsIou).slice(0, detection.maxBoxes);
    return merged.map(({ label, score, box }) => ({
      label,
      score: confidenceOf(score, detection.confidence),
      box,
    }));
  }

  /** Detections of one view, without those that it cuts off, after NMS per label. */
  async #look(picture: Picture, view: View, usage: Usage): Promise<Labelled[]> {
    const { images, vocabulary, detection } = this.#manifest;
    const { width, height } = images.detector;
    const { tensor, scaleX, scaleY } = await imageTensor(picture, images.detector, undefined, view);
    const results = await this.#graph.run(usage, { image: tensor }, { moved: ["image"] });
    const scaling = { view, across: width / scaleX, down: height / scaleY };
    const candidates = this.#candidates(results, picture, scaling);
    return vocabulary.labels
      .flatMap((_, label) =>
        suppress(
          candidates.filter((candidate) => candidate.label === label),
          detection.nmsIou,
        ),
      )
      .filter(({ box }) => !isCutOff(box, view, picture, detection.views.margin));
  }

  #candidates(results: Tensors, picture: Picture, scaling: Scaling): Labelled[] {
    const { vocabulary, detection } = this.#manifest;
    const [boxes, scores] = [floats(results, "boxes"), floats(results, "scores")];
    const columns = scores.length / (boxes.length / 4);
    const least = scoreOf(Math.min(detection.floor, detection.faintFloor), detection.confidence);
    const found: Labelled[] = [];
    const labelOf = new Map(vocabulary.labels.map(({ column }, label) => [column, label]));
    // Nearly all of the millions of scores are low, so this comparison comes first.
    for (let at = 0; at < scores.length; at += 1) {
      const score = scores[at] ?? 0;
      if (score < least) continue;
      const label = labelOf.get(at % columns);
      const box = clipBox(
        pictureBox(boxes, Math.floor(at / columns), scaling),
        picture.width,
        picture.height,
      );
      if (label !== undefined && box !== undefined) found.push({ label, score, box });
    }
    return found;
  }
}

/** A box of the graph in picture pixels; the mirror image of a view turns back. */
function pictureBox(boxes: Float32Array, anchor: number, { view, across, down }: Scaling): Corners {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = boxes.subarray(4 * anchor, 4 * anchor + 4);
  const [left, right] = view.mirrored
    ? [view.width - x2 * across, view.width - x1 * across]
    : [x1 * across, x2 * across];
  return [view.x + left, view.y + y1 * down, view.x + right, view.y + y2 * down];
}
