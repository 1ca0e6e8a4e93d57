/** From cells and tokens to masks and their ratings. */
import { type Layers, WIDTH } from "./layers.ts";
import type { Details } from "./details.ts";
import { permuted, reshaped, stacked, type Weight } from "./weights.ts";

const DECODER = "mask_decoder";
const [GRID, MASKS] = [64, 4];

/** All four masks, [regions, 4, 256, 256]: a transposed 2 × 2 convolution with a step of 2 is a product for each cell. */
export function masksOf(layers: Layers, cells: string, tokens: string, { middle, fine }: Details): string {
  const enlarged = (value: string, at: number, details: string): string => {
    const weight = layers.weights.get(`${DECODER}.output_upscaling.${at}.weight`);
    const [inputs = 0] = weight.shape;
    const factor = reshaped(permuted(weight, 0, 2, 3, 1), inputs, weight.values.length / inputs);
    return layers.add(layers.multiply(value, layers.constant(factor)), details);
  };
  const quarters = layers.reshape(enlarged(cells, 0, middle), 0, -1, 64);
  const normal = layers.normalize(quarters, "onnx::Mul_2056", "onnx::Add_2058", 1e-6);
  const pixels = layers.op("Gelu", [enlarged(layers.op("Gelu", [normal]), 3, fine)]);
  const all = layers.transpose(layers.reshape(pixels, 0, -1, 32), 0, 2, 1);
  const drawn = layers.multiply(hyperNetworks(layers, layers.slice(tokens, 1, 1 + MASKS)), all);
  const squares = layers.reshape(drawn, 0, MASKS, GRID, GRID, 2, 2, 2, 2);
  return layers.reshape(layers.transpose(squares, 0, 1, 2, 4, 6, 3, 5, 7), 0, MASKS, 4 * GRID, 4 * GRID);
}

/** The factors of the masks, [regions, 4, 32]: each token has separate layers. */
function hyperNetworks(layers: Layers, tokens: string): string {
  const each = (part: string, change: (weight: Weight) => Weight): string => {
    const weights = Array.from({ length: MASKS }, (_, mask) =>
      change(layers.weights.get(`${DECODER}.output_hypernetworks_mlps.${mask}.${part}`)),
    );
    return layers.constant(stacked(weights));
  };
  let value = layers.transpose(tokens, 1, 0, 2);
  for (const at of [0, 1, 2]) {
    const factors = each(`layers.${at}.weight`, (weight) => permuted(weight, 1, 0));
    const biases = each(`layers.${at}.bias`, (bias) => reshaped(bias, 1, bias.values.length));
    value = layers.add(layers.multiply(value, factors), biases);
    if (at < 2) value = layers.op("Relu", [value]);
  }
  return layers.transpose(value, 1, 0, 2);
}

/** The estimates of the masks' IoU, [regions, 4]. */
export function ratingsOf(layers: Layers, tokens: string): string {
  let value = layers.reshape(layers.slice(tokens, 0, 1), -1, WIDTH);
  for (const at of [0, 1, 2]) {
    const name = `${DECODER}.iou_prediction_head.layers.${at}`;
    value = layers.op("Gemm", [value, layers.weight(`${name}.weight`), layers.weight(`${name}.bias`)], {
      transB: 1,
    });
    if (at < 2) value = layers.op("Relu", [value]);
  }
  return value;
}
