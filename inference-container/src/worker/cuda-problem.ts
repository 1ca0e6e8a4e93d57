import { messageOf } from "../error-message.ts";
import { OnnxGraph } from "../onnx/graph-writer.ts";

/**
 * Tries CUDA: only running a graph shows whether libraries, driver and device are there.
 * @param device the CUDA device's id
 * @returns ONNX Runtime's reason why no graph can run there; undefined if one can
 */
export async function cudaProblem(device: number): Promise<string | undefined> {
  // Imported only when needed: loading the runtime takes time and memory.
  const { InferenceSession, Tensor } = await import("onnxruntime-node");
  const graph = new OnnxGraph();
  graph.node("Relu", [graph.input("x", [1])], {}, "y");
  graph.output("y", [1]);
  try {
    const session = await InferenceSession.create(graph.file("probe"), {
      executionProviders: [{ name: "cuda", deviceId: device }],
    });
    await session.run({ x: new Tensor("float32", [1], [1]) });
    await session.release();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
