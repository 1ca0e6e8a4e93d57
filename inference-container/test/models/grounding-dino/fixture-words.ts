/** Grounding DINO that knows a few words: for each of them it finds one box over most of any picture. */
import { float, int64, FixtureGraph } from "../sam3/fixture.ts";

const SIDE = 800;

/** BERT's ids of the words that it knows. The golden picture of the template has the first; no vocabulary of 80 nouns the second. */
const WORDS = { cat: 4_937, sky: 3_712 };

/** Around the cat of `inference-container/models/builtin/golden.jpg`: its center and its size, of the picture's. */
const BOX = [0.486, 0.493, 0.966, 0.986];

export function fixtureWords(): Uint8Array {
  const graph = new FixtureGraph({});
  const row = int64("batch", "tokens");
  graph.taken("pixel_values", float("batch", 3, SIDE, SIDE));
  graph.taken("pixel_mask", int64("batch", SIDE, SIDE));
  const ids = graph.taken("input_ids", row);
  graph.taken("attention_mask", row);
  graph.taken("token_type_ids", row);
  const known = graph.node("Equal", [
    graph.reshaped(ids, [-1, 1]),
    graph.floats(Object.values(WORDS), [1, Object.keys(WORDS).length]),
  ]);
  const isKnown = graph.node("ReduceMax", [graph.cast(known, "float32")], { keepdims: 0 });
  // −0.2, a score of 0.45 like those in the model's documentation, for a word that it knows, and −10.2 for others.
  const logit = graph.node("Add", [
    graph.node("Mul", [isKnown, graph.floats([10], [])]),
    graph.floats([-10.2], []),
  ]);
  graph.given(graph.reshaped(logit, [1, 1, 1]), "logits", float("batch", "queries", "tokens"));
  graph.given(graph.floats(BOX, [1, 1, 4]), "pred_boxes", float("batch", "queries", 4));
  return graph.file();
}
