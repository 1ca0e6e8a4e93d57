/** A tensor of ONNX Runtime. */
export interface OnnxTensor {
  readonly data: unknown;
  readonly dims: readonly number[];
}

/** A loaded graph of ONNX Runtime. */
export interface OnnxSession {
  run(feeds: Readonly<Record<string, OnnxTensor>>): Promise<Readonly<Record<string, OnnxTensor>>>;
  release(): Promise<void>;
}

/** The part of `onnxruntime-web` and `onnxruntime-node` that decoding needs: pass either module. */
export interface OnnxRuntime {
  readonly InferenceSession: {
    create(model: Uint8Array, options?: Readonly<Record<string, unknown>>): Promise<OnnxSession>;
  };
  readonly Tensor: new (type: "float32", data: Float32Array, dims: readonly number[]) => OnnxTensor;
}
