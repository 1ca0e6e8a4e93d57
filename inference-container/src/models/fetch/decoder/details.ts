/** High-resolution features that the decoder adds to enlarged cells, in the order of the cells. */
import { Layers } from "./layers.ts";
import { reshaped, stacked, Weights } from "./weights.ts";

/** Each with the bias of its layer in the decoder. */
export interface Details {
  /** [cells, 4 squares × 64]. */
  readonly middle: string;
  /** [cells × 4 squares, 4 squares × 32]. */
  readonly fine: string;
}

export const DETAILS: Record<keyof Details, { readonly name: string; readonly shape: readonly number[] }> = {
  middle: { name: "middle_cells", shape: [4_096, 256] },
  fine: { name: "fine_cells", shape: [16_384, 128] },
};

/**
 * The end of SAM 2's encoder, to be appended to its `.onnx` file. It outputs the features of higher resolution in the
 * order in which the rebuilt decoder reads them. Otherwise the decoder would rearrange them for every click.
 * @param decoder the export, for its biases
 */
export function detailsOf(decoder: Uint8Array): Uint8Array {
  const layers = new Layers(new Weights(decoder));
  // A single transposition of many axes would take twice as long.
  const divided = (value: string): string => layers.op("SpaceToDepth", [value], { blocksize: 2 });
  const rows = (value: string, channels: number): string =>
    layers.transpose(layers.reshape(value, channels, -1), 1, 0);
  const bias = (at: number): string => {
    const one = layers.weights.get(`mask_decoder.output_upscaling.${at}.bias`);
    const four = stacked([one, one, one, one]);
    return layers.constant(reshaped(four, four.values.length));
  };
  const middle = rows(divided("high_res_feats_1"), 256);
  layers.graph.node("Add", [middle, bias(0)], {}, DETAILS.middle.name);
  const fine = layers.reshape(rows(divided(divided("high_res_feats_0")), 512), -1, 128);
  layers.graph.node("Add", [fine, bias(3)], {}, DETAILS.fine.name);
  for (const { name, shape } of Object.values(DETAILS)) layers.graph.output(name, shape);
  return layers.graph.addition();
}
