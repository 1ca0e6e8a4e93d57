import { Tensor } from "onnxruntime-node";
import type { Size } from "../../size.ts";
import { type TensorForm, tensorOf } from "../tensors.ts";

/** Tells the detector which pixels of its input show the picture, from the top left corner; the others are bars. */
export class ContentMask {
  readonly #dtype: TensorForm["dtype"];
  readonly #input: Size;
  #last: { readonly shown: Size; readonly tensor: Tensor } | undefined;

  /** @param form of the graph's tensor; @param input the size of the detector's input */
  constructor({ dtype }: Pick<TensorForm, "dtype">, input: Size) {
    this.#dtype = dtype;
    this.#input = input;
  }

  /** The mask [1, height, width] of a picture that takes this much of the input. The prompts and frames of a clip share one: do not change it. */
  of(shown: Size): Tensor {
    if (this.#last?.shown.width !== shown.width || this.#last.shown.height !== shown.height)
      this.#last = { shown, tensor: this.#made(shown) };
    return this.#last.tensor;
  }

  #made(shown: Size): Tensor {
    const { width, height } = this.#input;
    const dims = [1, height, width];
    if (this.#dtype !== "int64") {
      const values = new Float32Array(width * height);
      for (let y = 0; y < shown.height; y += 1) values.fill(1, y * width, y * width + shown.width);
      return tensorOf(this.#dtype, values, dims);
    }
    // The type that exports have. Made from floats, it would take a BigInt for each of some 640,000 pixels.
    const values = new BigInt64Array(width * height);
    for (let y = 0; y < shown.height; y += 1) values.fill(1n, y * width, y * width + shown.width);
    return new Tensor("int64", values, dims);
  }
}
