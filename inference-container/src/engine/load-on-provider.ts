/** Loads a model on the execution provider that was asked for, or on the CPU where that is allowed instead. */
import type { loadModel } from "../models/load.ts";
import type { Model } from "../models/model.ts";
import { cudaProblem } from "./cuda-problem.ts";
import type { EngineConfig } from "./messages.ts";

export interface Loaded {
  readonly model: Model;
  /** Why it is on the CPU though CUDA was asked for. */
  readonly fallback?: string;
}

/**
 * Loads the model with `load`; where that fails on CUDA, and CUDA itself is why, once more on the CPU if
 * `cpuFallback` is set.
 * @param problemOf tells why CUDA can't be used on a device, undefined where it can
 * @throws Error with what to do about CUDA; whatever `load` throws for any other reason
 */
export async function loadOnProvider(
  load: typeof loadModel,
  { modelFolder, options, cpuFallback }: Pick<EngineConfig, "modelFolder" | "options" | "cpuFallback">,
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
