/** The thread that runs ONNX Runtime's graphs: a run blocks it until it is done. */
import { InferenceSession } from "../onnx/runtime.ts";
import { parentPort } from "node:worker_threads";
import type { Declared, GraphFile, Provider } from "./messages.ts";
import { serve, type Session } from "./serve.ts";
import { fromValues, toValues } from "./values.ts";

if (parentPort !== null) serve(parentPort, openSession);

async function openSession({
  path,
  options: { provider, device, threads, cpuNodes },
}: GraphFile): Promise<Session> {
  const sessionOptions: InferenceSession.SessionOptions = {
    executionProviders: executionProviders(provider, device),
    executionMode: "sequential",
    graphOptimizationLevel: "all",
    intraOpNumThreads: threads,
    // Planning memory for whole runs in advance raises the encoder's peak by more than half.
    enableMemPattern: false,
    extra: {
      session: {
        // Spinning idle threads would take the cores from picture decoding and mask encoding.
        intra_op: { allow_spinning: "0" },
        // On CPUs with AVX2 and without VNNI, sums of eight-bit products overflow otherwise.
        x64quantprecision: "1",
        disable_cpu_ep_fallback: cpuNodes ? "0" : "1",
      },
    },
  };
  const session = await (typeof path === "string"
    ? InferenceSession.create(path, sessionOptions)
    : InferenceSession.create(path, sessionOptions));
  return {
    signature: { inputs: declared(session.inputMetadata), outputs: declared(session.outputMetadata) },
    run: async (feeds, outputs) => {
      const named = Object.entries(feeds).map(([name, values]) => [name, fromValues(values)] as const);
      const results = await session.run(Object.fromEntries(named), outputs);
      return Object.fromEntries(Object.entries(results).map(([name, tensor]) => [name, toValues(tensor)]));
    },
    release: () => session.release(),
  };
}

/** The providers that ONNX Runtime asks for each node, in their order. CUDA runs the nodes that TensorRT can't run. */
function executionProviders(
  provider: Provider,
  deviceId: number,
): InferenceSession.ExecutionProviderConfig[] {
  const cuda = { name: "cuda", deviceId } as const;
  if (provider === "tensorrt") return [{ name: "tensorrt", deviceId }, cuda];
  return provider === "cuda" ? [cuda] : ["cpu"];
}

function declared(tensors: readonly InferenceSession.ValueMetadata[]): Declared[] {
  return tensors.map((tensor) =>
    tensor.isTensor
      ? { name: tensor.name, type: tensor.type, shape: tensor.shape }
      : { name: tensor.name, type: "no tensor", shape: [] },
  );
}
