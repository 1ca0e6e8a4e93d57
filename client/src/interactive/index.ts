/** Masks without the service: an embedding, the model's decoder, and ONNX Runtime. */
export { type DecodedMask, type DecodeRequest, InteractivePicture, MaskDecoder } from "./decoder.ts";
export { fetchDecoder } from "./fetch-decoder.ts";
export type { OnnxRuntime, OnnxSession, OnnxTensor } from "./runtime.ts";
