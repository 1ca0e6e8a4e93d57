/** RF-DETR Seg that finds one cat over most of any picture, with the tensors of the package's export. */
import { float, FixtureGraph } from "../sam3/fixture.ts";

/** Around the cat of `inference-container/models/builtin/golden.jpg`: its center and its size, of the picture's. */
const BOX = [0.486, 0.493, 0.966, 0.986];
const OUTSIDE = [0.5, 0.5, 0.1, 0.1];
/** COCO's id of a cat, and the logit of its score, 0.75. */
const [CAT, LOGIT] = [17, Math.log(3)];
const MASK = 16;

export interface ExportChanges {
  readonly classes?: number;
  readonly side?: number | string;
}

export function fixtureRfDetr({ classes = 91, side = 32 }: ExportChanges = {}): Uint8Array {
  const graph = new FixtureGraph({});
  graph.taken("input", float("batch", 3, side, side));
  const constant = (values: readonly number[], ...shape: number[]): string =>
    graph.node("Identity", [graph.floats(values, shape)]);
  const scores = Array.from({ length: 2 * classes }, (_, i) => (i === CAT ? LOGIT : -9));
  // The cat covers its picture up to a border of a cell.
  const masks = Array.from({ length: 2 * MASK * MASK }, (_, i) => {
    const [x, y] = [i % MASK, Math.floor(i / MASK)];
    return x > 0 && x < MASK - 1 && y > 0 && y < MASK - 1 ? 9 : -9;
  });
  graph.given(constant([...BOX, ...OUTSIDE], 1, 2, 4), "dets", float("batch", 2, 4));
  graph.given(constant(scores, 1, 2, classes), "labels", float("batch", 2, classes));
  graph.given(constant(masks, 1, 2, MASK, MASK), "masks", float("batch", 2, MASK, MASK));
  return graph.file();
}
