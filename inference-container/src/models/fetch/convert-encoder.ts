import { InferenceSession } from "../../onnx/runtime.ts";

/**
 * Writes a graph in ONNX Runtime's format as an ONNX file, node by node. The runtime optimizes an ONNX file for the
 * device when it loads it, and checks where its nodes run; it loads its own format unchanged.
 * @param source path of the `.ort` file
 * @param target path of the `.onnx` file
 */
export async function convertEncoder(source: string, target: string): Promise<void> {
  const session = await InferenceSession.create(source, {
    graphOptimizationLevel: "disabled",
    optimizedModelFilePath: target,
    extra: { session: { save_model_format: "ONNX" } },
  });
  await session.release();
}
