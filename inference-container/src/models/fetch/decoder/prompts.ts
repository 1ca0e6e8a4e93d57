/** A region's clicks as tokens, its prior as a summand of the picture's cells, and the encoding of places. */
import { type Layers, WIDTH } from "./layers.ts";
import { permuted, reshaped } from "./weights.ts";

const PROMPTS = "prompt_encoder";
/** The side of the encoder's picture, and of the grid of cells. */
const [PICTURE, GRID] = [1024, 64];
/** `TensorProto.DataType` of ONNX. */
const [INT64, BOOL] = [7, 9];

/** The encoding of places between -1 and 1, [..., 2] to [..., 256]. */
function encoded(layers: Layers, places: string): string {
  const turns = layers.multiply(
    places,
    layers.weight(`${PROMPTS}.pe_layer.positional_encoding_gaussian_matrix`),
  );
  const angles = layers.op("Mul", [turns, layers.number(2 * Math.PI)]);
  return layers.op("Concat", [layers.op("Sin", [angles]), layers.op("Cos", [angles])], { axis: -1 });
}

/** The encoding of the cells' centers, [cells, 256]. */
export function cellPlaces(layers: Layers): string {
  const centre = (at: number): number => (2 * (at + 0.5)) / GRID - 1;
  const centres = Array.from({ length: GRID * GRID }, (_, cell) => [
    centre(cell % GRID),
    centre(Math.floor(cell / GRID)),
  ]);
  return encoded(layers, layers.graph.floats([GRID * GRID, 2], Float32Array.from(centres.flat())));
}

/**
 * The tokens of each region: those of the object, of the ratings and of the masks, then its clicks, then a padding
 * token.
 * @param points [regions, clicks, 2] in the encoder's pixels
 * @param labels [regions, clicks]
 */
export function tokensOf(layers: Layers, points: string, labels: string): string {
  const pad = (value: string, rank: number, filling: number): string => {
    const pads = layers.graph.int64s([
      ...Array<number>(rank).fill(0),
      0,
      1,
      ...Array<number>(rank - 2).fill(0),
    ]);
    return layers.op("Pad", [value, pads, layers.number(filling)]);
  };
  const middles = layers.op("Div", [layers.add(points, layers.number(0.5)), layers.number(PICTURE / 2)]);
  const places = encoded(layers, layers.add(pad(middles, 3, 0), layers.number(-1)));
  // The padding has the label -1, and no place.
  const kinds = layers.op("Cast", [layers.add(pad(labels, 2, -1), layers.number(1))], { to: INT64 });
  const kind = (number: number) => layers.weights.get(`${PROMPTS}.point_embeddings.${number}.weight`).values;
  const names = [layers.weights.get(`${PROMPTS}.not_a_point_embed.weight`).values, ...[0, 1, 2, 3].map(kind)];
  const table = layers.graph.floats(
    [names.length, WIDTH],
    Float32Array.from(names.flatMap((row) => [...row])),
  );
  const hasPlace = layers.graph.floats([names.length, 1], Float32Array.of(0, 1, 1, 1, 1));
  const clicks = layers.add(
    layers.op("Mul", [places, layers.op("Gather", [hasPlace, kinds])]),
    layers.op("Gather", [table, kinds]),
  );
  // Zeros for each region, without nodes that compute shapes: those would run on the CPU.
  const nothing = layers.op("Mul", [layers.slice(clicks, 0, 1), layers.number(0)]);
  const fixed = layers.add(nothing, layers.weight("onnx::Expand_1994"));
  return layers.op("Concat", [fixed, clicks], { axis: 1 });
}

/**
 * The summand of the cells for each region, [regions, cells, 256]: its prior, or [1, 1, 256] without one.
 * @param prior [regions, 1, 256, 256]
 * @param has [1], 1 or 0
 */
export function priorOf(layers: Layers, prior: string, has: string): string {
  const { graph, weights } = layers;
  const none = reshaped(weights.get("onnx::Mul_1992"), 1, 1, WIDTH);
  return layers.op("If", [layers.op("Cast", [has], { to: BOOL })], {
    then_branch: graph.branch(() => drawnPrior(layers, prior), ["regions", GRID * GRID, WIDTH]),
    else_branch: graph.branch(() => layers.op("Identity", [layers.constant(none)]), [1, 1, WIDTH]),
  });
}

function drawnPrior(layers: Layers, prior: string): string {
  const { weights } = layers;
  // A 2 × 2 convolution with a step of 2 is a product over squares of four: cells × their four squares × the squares' four values.
  const squares = layers.reshape(
    layers.transpose(layers.reshape(prior, 0, GRID, 2, 2, GRID, 2, 2), 0, 1, 4, 2, 5, 3, 6),
    0,
    -1,
    4,
  );
  const conv = (value: string, at: number, norm: readonly [string, string]): string => {
    const name = `${PROMPTS}.mask_downscaling.${at}`;
    const weight = weights.get(`${name}.weight`);
    const [channels = 0] = weight.shape;
    const factor = reshaped(permuted(weight, 2, 3, 1, 0), weight.values.length / channels, channels);
    const sum = layers.add(layers.multiply(value, layers.constant(factor)), layers.weight(`${name}.bias`));
    return layers.op("Gelu", [layers.normalize(sum, ...norm, 1e-6)]);
  };
  const fine = conv(squares, 0, ["onnx::Mul_1985", "onnx::Add_1987"]);
  const coarse = conv(layers.reshape(fine, 0, GRID * GRID, 16), 3, ["onnx::Mul_1989", "onnx::Add_1991"]);
  const last = `${PROMPTS}.mask_downscaling.6`;
  const factor = permuted(reshaped(weights.get(`${last}.weight`), WIDTH, 16), 1, 0);
  return layers.add(layers.multiply(coarse, layers.constant(factor)), layers.weight(`${last}.bias`));
}
