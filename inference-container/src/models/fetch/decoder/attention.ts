/** Attention among the tokens of a region, and between them and the cells of the picture. */
import { byHead, HEADS, type Layers, WIDTH } from "./layers.ts";
import { permuted, reshaped, scaled } from "./weights.ts";

/** The picture's cells as one region sees them, [regions, cells, 256]. */
export interface Cells {
  readonly plain: string;
  /** With the encoding of their places. */
  readonly placed: string;
}

/** The width of a head toward the picture, where attention is half as wide as the tokens. */
const NARROW = WIDTH / HEADS / 2;
const TO_NARROW = 1 / Math.sqrt(NARROW);

/** @param placed the tokens with the encoding of their places; queries and keys come from it */
export function amongTokens(layers: Layers, name: string, tokens: string, placed: string): string {
  const queries = layers.heads(
    layers.linear(placed, `${name}.q_proj`, Math.fround(1 / Math.sqrt(WIDTH / HEADS))),
  );
  const keys = layers.transpose(layers.heads(layers.linear(placed, `${name}.k_proj`)), 0, 1, 3, 2);
  const shares = layers.softmax(layers.multiply(queries, keys));
  const values = layers.heads(layers.linear(tokens, `${name}.v_proj`));
  return layers.linear(layers.joined(layers.multiply(shares, values), WIDTH), `${name}.out_proj`);
}

/**
 * Attention from the tokens to the picture. There are a few tokens and 4,096 cells, so the projections of keys and
 * values are multiplied with the tokens and not with the cells. The keys' bias adds the same to all cells, and cancels
 * out.
 */
export function fromPicture(layers: Layers, name: string, placed: string, cells: Cells): string {
  const { weights } = layers;
  const queries = layers.heads(layers.linear(placed, `${name}.q_proj`, TO_NARROW));
  const keys = layers.constant(byHead(weights.get(`${name}.k_proj.weight`)));
  const asked = layers.reshape(layers.multiply(queries, keys), 0, -1, WIDTH);
  const shares = layers.softmax(layers.multiply(asked, layers.transpose(cells.placed, 0, 2, 1)));
  const taken = layers.reshape(layers.multiply(shares, cells.plain), 0, HEADS, -1, WIDTH);
  const values = layers.constant(permuted(byHead(weights.get(`${name}.v_proj.weight`)), 0, 2, 1));
  const bias = layers.constant(reshaped(weights.get(`${name}.v_proj.bias`), HEADS, 1, NARROW));
  const read = layers.joined(layers.add(layers.multiply(taken, values), bias), HEADS * NARROW);
  return layers.linear(read, `${name}.out_proj`);
}

/** Attention from the cells to the tokens; here too, the cells' projections are multiplied with the tokens. */
export function intoPicture(
  layers: Layers,
  name: string,
  tokens: string,
  placed: string,
  cells: Cells,
): string {
  const { weights } = layers;
  const keys = layers.heads(layers.linear(placed, `${name}.k_proj`, TO_NARROW));
  const queries = layers.constant(byHead(weights.get(`${name}.q_proj.weight`)));
  const bias = layers.constant(reshaped(weights.get(`${name}.q_proj.bias`), HEADS, NARROW, 1));
  const asked = layers.transpose(layers.reshape(layers.multiply(keys, queries), 0, -1, WIDTH), 0, 2, 1);
  const offset = layers.reshape(layers.multiply(keys, bias), 0, 1, -1);
  const scores = layers.add(layers.multiply(cells.placed, asked), offset);
  const shares = layers.reshape(layers.softmax(layers.reshape(scores, 0, 0, HEADS, -1)), 0, 0, -1);
  const values = layers.heads(layers.linear(tokens, `${name}.v_proj`));
  const out = weights.get(`${name}.out_proj.weight`);
  const given = layers.multiply(values, layers.constant(reshaped(out, HEADS, NARROW, WIDTH)));
  // The shares of a head add up to one, so an eighth of the bias comes with each.
  const shared = layers.constant(scaled(weights.get(`${name}.out_proj.bias`), 1 / HEADS));
  const offered = layers.reshape(layers.add(given, shared), 0, -1, WIDTH);
  return layers.add(layers.multiply(shares, offered), cells.plain);
}
