/** Rebuilds SAM 2's mask decoder from the weights of its export, so that a mask costs half as much. */
import { amongTokens, type Cells, fromPicture, intoPicture } from "./attention.ts";
import { Layers, WIDTH } from "./layers.ts";
import { DETAILS } from "./details.ts";
import { masksOf, ratingsOf } from "./masks.ts";
import { cellPlaces, priorOf, tokensOf } from "./prompts.ts";
import { Weights } from "./weights.ts";

const TRANSFORMER = "mask_decoder.transformer";
/** The limit of logits; larger ones are clipped. */
const MOST = 32;

/**
 * The ONNX file of the decoder that outputs all four masks: first the single one, then the three alternatives. The
 * export leaves out the single mask, which is the best for a clear region such as a box. Its picture inputs are the
 * encoder's outputs with `detailsOf`; the other inputs and the outputs are those of the export.
 *
 * It computes the same values as the export in another order: the picture's cells are 4,096 rows, and the export's
 * products over all cells become products over a region's few tokens. No node computes a shape.
 * @param decoder `sam2_hiera_tiny_decoder_pr1.onnx`, as its digest is pinned
 * @throws Error if it lacks a weight
 */
export function rebuildDecoder(decoder: Uint8Array): Uint8Array {
  const layers = new Layers(new Weights(decoder));
  const { graph } = layers;
  const embedding = graph.input("image_embed", [1, WIDTH, 64, 64]);
  const middle = graph.input(DETAILS.middle.name, DETAILS.middle.shape);
  const fine = graph.input(DETAILS.fine.name, DETAILS.fine.shape);
  const points = graph.input("point_coords", ["regions", "points", 2]);
  const labels = graph.input("point_labels", ["regions", "points"]);
  const prior = graph.input("mask_input", ["regions", 1, 256, 256]);
  const hasPrior = graph.input("has_mask_input", [1]);

  const places = cellPlaces(layers);
  const placed = (plain: string): Cells => ({ plain, placed: layers.add(plain, places) });
  const first = tokensOf(layers, points, labels);
  const rows = layers.transpose(layers.reshape(embedding, 1, WIDTH, -1), 0, 2, 1);
  let cells = placed(layers.add(rows, priorOf(layers, prior, hasPrior)));
  let tokens = first;
  const withPlaces = (): string => layers.add(tokens, first);
  for (const at of [0, 1]) {
    const name = `${TRANSFORMER}.layers.${at}`;
    const gain = (given: string, norm: number): string =>
      layers.norm(layers.add(tokens, given), `${name}.norm${norm}`);
    // The first layer replaces the tokens, and knows their places already.
    if (at === 0)
      tokens = layers.norm(amongTokens(layers, `${name}.self_attn`, first, first), `${name}.norm1`);
    else tokens = gain(amongTokens(layers, `${name}.self_attn`, tokens, withPlaces()), 1);
    tokens = gain(fromPicture(layers, `${name}.cross_attn_token_to_image`, withPlaces(), cells), 2);
    const hidden = layers.op("Relu", [layers.linear(tokens, `${name}.mlp.layers.0`)]);
    tokens = gain(layers.linear(hidden, `${name}.mlp.layers.1`), 3);
    const changed = intoPicture(layers, `${name}.cross_attn_image_to_token`, tokens, withPlaces(), cells);
    // As rows: ONNX Runtime fuses a sum of three axes and its normalization to a node that takes three times as long.
    const normal = layers.norm(layers.reshape(changed, -1, WIDTH), `${name}.norm4`);
    cells = placed(layers.reshape(normal, -1, 4096, WIDTH));
  }
  // The masks need only the token of the ratings and the four of the masks.
  const read = (value: string): string => layers.slice(value, 1, 6);
  const last = fromPicture(layers, `${TRANSFORMER}.final_attn_token_to_image`, read(withPlaces()), cells);
  tokens = layers.norm(layers.add(read(tokens), last), `${TRANSFORMER}.norm_final_attn`);

  const masks = masksOf(layers, cells.plain, tokens, { middle, fine });
  graph.node("Clip", [masks, layers.number(-MOST), layers.number(MOST)], {}, "masks");
  graph.node("Sigmoid", [ratingsOf(layers, tokens)], {}, "iou_predictions");
  graph.output("masks", ["regions", 4, 256, 256]);
  graph.output("iou_predictions", ["regions", 4]);
  return graph.file("decoder");
}
