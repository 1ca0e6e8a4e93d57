import { InferenceSession } from "../../onnx/runtime.ts";

/**
 * Writes the ONNX file of a graph in ONNX Runtime's own format, node by node. The runtime fuses the nodes of an ONNX file for
 * the device when it loads it, and checks where they run; a graph in its own format it takes as it was saved.
 * @param source path of the `.ort` file @param target path of the `.onnx` file
 */
export async function convertEncoder(source: string, target: string): Promise<void> {
  const session = await InferenceSession.create(source, {
    graphOptimizationLevel: "disabled",
    optimizedModelFilePath: target,
    extra: { session: { save_model_format: "ONNX" } },
  });
  await session.release();
}
