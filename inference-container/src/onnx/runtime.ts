/** ONNX Runtime without its telemetry: the only module that may import the package's values. */
// oxlint-disable-next-line no-restricted-imports -- the one place that imports it
import { InferenceSession, Tensor } from "onnxruntime-node";
import { disableTelemetry } from "./telemetry.ts";

disableTelemetry();

export { InferenceSession, Tensor };
