/** Loads a model on the configured execution provider, or on the CPU if that is allowed instead. */
import type { LoadOptions } from "../models/load-options.ts";
import type { loadModel } from "../models/load.ts";
import type { Model } from "../models/model.ts";
import { cudaProblem } from "./cuda-problem.ts";
import type { EngineConfig } from "../messages.ts";

export interface Loaded {
  readonly model: Model;
  /** Why it is on the CPU although CUDA is configured. */
  readonly fallback?: string;
}

/**
 * Loads the model with `load`; if that fails because CUDA can't be used, and `cpuFallback` is set, again on the CPU.
 * @param problemOf tells why CUDA can't be used on a device; undefined if it can
 * @throws Error that says what to do about CUDA; any other error of `load`
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
  problemOf: typeof cudaProblem = cudaProblem,
): Promise<Loaded> {
  try {
    return { model: await load(modelFolder, options) };
  } catch (error) {
    const problem = options.provider === "cuda" ? await problemOf(options.device) : undefined;
    if (problem === undefined) throw error;
    const fallback = `CUDA can't be used on device ${options.device} (${problem}).`;
    if (cpuFallback) return { model: await load(modelFolder, { ...options, provider: "cpu" }), fallback };
    throw new Error(
      `${fallback} Install the libraries of CUDA 12 and cuDNN 9, or use the CUDA image with a GPU; or set CPU_FALLBACK=true to serve on the CPU.`,
      { cause: error },
    );
  }
}
