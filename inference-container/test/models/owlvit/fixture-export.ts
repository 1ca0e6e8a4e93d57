/** OWL-ViT or OWLv2 that knows a few words, as one graph: for each word it finds one box over most of any picture. */
import { type Changes, float, int64, FixtureGraph } from "../sam3/fixture.ts";

/** CLIP's ids of the words that it knows. The golden picture of the template has the first; the embedded model does not know the second. */
const WORDS = { cat: 2_368, ear: 8_373 };
/** Around the cat of `inference-container/models/builtin/golden.jpg`: its center and its size, of the picture's. */
const BOX = [0.486, 0.493, 0.966, 0.986] as const;
/** The pixels of a patch, the patches across the input, and the height of that picture as a share of the input's. */
const KINDS = { owlvit: [32, 24, 1], owlv2: [16, 60, 213 / 320] } as const;

export interface ExportChanges extends Changes {
  /** The model; OWL-ViT by default. */
  readonly kind?: keyof typeof KINDS;
  /** True if the prompts' embeddings depend on the picture's content. */
  readonly mixed?: boolean;
}

export function fixtureExport({
  mixed = false,
  kind = "owlvit",
  ...changes
}: ExportChanges = {}): Uint8Array {
  const [patch, grid, high] = KINDS[kind];
  const queries = grid * grid;
  const [x, y, width, height] = BOX;
  const graph = new FixtureGraph(changes);
  const row = int64("texts", "tokens");
  const ids = graph.taken("input_ids", row);
  const image = graph.taken("pixel_values", float("batch", "channels", "height", "width"));
  const mask = graph.taken("attention_mask", row);
  const axes = { kernel_shape: [patch, patch], strides: [patch, patch] };
  const patches = graph.node("Transpose", [graph.node("AveragePool", [image], axes)], { perm: [0, 2, 3, 1] });
  graph.given(patches, "image_embeds", float("batch", grid, grid, 3));
  const features = graph.cast("image_embeds", "float32");
  const boxes = graph.floats(
    [x, y * high, width, height * high, ...Array.from({ length: 4 * queries - 4 }, () => 0)],
    [1, queries, 4],
  );
  graph.given(boxes, "pred_boxes", float("batch", queries, 4));

  const known = Object.values(WORDS).map((word) => {
    const isWord = graph.cast(graph.node("Equal", [ids, graph.floats([word], [])]), "float32");
    return graph.node("ReduceMax", [graph.node("Mul", [isWord, mask])], { axes: [1], keepdims: 1 });
  });
  const pictures = graph.node("Gather", [graph.node("Shape", ["image_embeds"]), graph.int64s([0])]);
  const shape = graph.node("Concat", [pictures, graph.int64s([-1, 1])], { axis: 0 });
  const words = graph.node("Reshape", [graph.node("Max", known), shape]);
  const brightness = graph.reshaped(graph.node("ReduceMean", [features], { keepdims: 0 }), [1, 1, 1]);
  const isPictureSeen = graph.node("Mul", [brightness, graph.floats([0], [])]);
  const embeddings = mixed ? graph.node("Add", [words, isPictureSeen]) : words;
  graph.given(embeddings, "text_embeds", float("pictures", "prompts", "size"));

  // −1, a score of 0.27, for a word that it knows, and −8 for others.
  const first = graph.floats([7, ...Array.from({ length: queries - 1 }, () => 0)], [1, queries, 1]);
  const asked = graph.node("Transpose", [graph.cast("text_embeds", "float32")], { perm: [0, 2, 1] });
  const alike = graph.node("Sum", [graph.node("Mul", [first, asked]), isPictureSeen, graph.floats([-8], [])]);
  const isPrompt = graph.node("Greater", [
    graph.node("Gather", [ids, graph.reshaped(graph.int64s([0]), [])], { axis: 1 }),
    graph.floats([0], []),
  ]);
  const logits = graph.node("Where", [isPrompt, alike, graph.floats([-1000], [])]);
  graph.given(logits, "logits", float("batch", queries, "prompts"));
  return graph.file();
}
