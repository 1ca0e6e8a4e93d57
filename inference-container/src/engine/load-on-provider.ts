/** Loads a model on the configured execution provider, or on the CPU if that is allowed instead. */
import type { LoadOptions } from "../models/loaded-model.ts";
import type { loadModel } from "../models/load.ts";
import type { Model } from "../models/model.ts";
import type { Provider } from "../device/messages.ts";
import type { EngineConfig, ModelInfo } from "../messages.ts";
import { messageOf } from "../errors.ts";
import { OnnxGraph } from "../onnx/graph-writer.ts";

export interface Loaded {
  readonly model: Model;
  /** The reason why it is on the CPU although another provider is configured. */
  readonly fallback?: string;
}

/** Names of the GPU providers, and the advice where one can't be used. */
const GPU = {
  cuda: {
    name: "CUDA",
    advice:
      "Install the libraries of CUDA 13 and cuDNN 9 and a driver of version 580 or newer, or use the CUDA image with a GPU",
  },
  tensorrt: {
    name: "TensorRT",
    advice:
      "Install the libraries of TensorRT, CUDA 13 and cuDNN 9, or set EXECUTION_PROVIDER=cuda, which needs no TensorRT",
  },
} as const;

/**
 * Loads the model with `load`; if that fails because the provider can't be used, and `cpuFallback` is set, again on the CPU.
 * @param problemOf gives the reason why the provider can't be used on a device; undefined if it can
 * @throws Error that says what to do about the provider; any other error of `load`
 */
export async function loadOnProvider(
  load: typeof loadModel,
  {
    modelFolder,
    options,
    cpuFallback,
  }: Pick<EngineConfig, "modelFolder" | "cpuFallback"> & {
    readonly options: EngineConfig["options"] & Pick<LoadOptions, "serverToken">;
  },
  problemOf: typeof gpuProblem = gpuProblem,
): Promise<Loaded> {
  try {
    return { model: await load(modelFolder, options) };
  } catch (error) {
    const { provider, device } = options;
    if (provider === "cpu") throw error;
    const problem = await problemOf(provider, device);
    if (problem === undefined) throw error;
    const { name, advice } = GPU[provider];
    const fallback = `${name} can't be used on device ${device} (${problem}).`;
    if (cpuFallback) return { model: await load(modelFolder, { ...options, provider: "cpu" }), fallback };
    throw new Error(`${fallback} ${advice}; or set CPU_FALLBACK=true to serve on the CPU.`, { cause: error });
  }
}

/**
 * Tries a provider: only running a graph shows whether libraries, driver and device are there.
 * @param device the GPU's number
 * @returns ONNX Runtime's reason why no graph can run there; undefined if one can
 */
export async function gpuProblem(
  provider: Exclude<Provider, "cpu">,
  device: number,
): Promise<string | undefined> {
  // Imported only when needed: loading the runtime takes time and memory.
  const { InferenceSession, Tensor } = await import("../onnx/runtime.ts");
  const graph = new OnnxGraph();
  graph.node("Relu", [graph.input("x", [1])], {}, "y");
  graph.output("y", [1]);
  try {
    const session = await InferenceSession.create(graph.file("probe"), {
      executionProviders: [{ name: provider, deviceId: device }],
    });
    await session.run({ x: new Tensor("float32", [1], [1]) });
    await session.release();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Describes a model for the service's reports. */
export function infoOf({
  id,
  version,
  family,
  provider,
  labels,
  drawsRegions = false,
  followsRegions = false,
  decoder,
  findsAlike = false,
}: Model): Omit<ModelInfo, "fallback"> {
  return {
    id,
    version,
    family,
    provider,
    vocabulary: labels === undefined ? "open" : [...labels],
    attributes: labels === undefined,
    regions: { box: drawsRegions, points: drawsRegions, clips: followsRegions, examples: findsAlike },
    ...(decoder !== undefined && {
      decoder: { file: decoder.name, sha256: decoder.sha256, bytes: decoder.size },
    }),
  };
}
