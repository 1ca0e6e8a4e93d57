import { describe, expect, test } from "vitest";
import { gpuProblem, loadOnProvider } from "../../src/engine/load-on-provider.ts";
import { type Provider, PROVIDERS } from "../../src/device/messages.ts";
import type { loadModel as loadReal } from "../../src/models/load.ts";
import { loadModel as loadFixture } from "../support/service/fixture-model.ts";

/** No machine has this many GPUs: CUDA can't be used there, with CUDA's libraries or without. */
const NOWHERE = 999;

const config = (provider: Provider, cpuFallback = false) => ({
  modelFolder: "fixture",
  cpuFallback,
  options: {
    provider,
    device: NOWHERE,
    threads: 0,
    featureCacheBytes: 0,
    textCacheBytes: 0,
    requestTimeoutMs: 1_000,
    serverPatienceMs: 0,
  },
});

/** The fixture model, which can't be loaded on the `refused` providers. */
function loader(...refused: readonly string[]) {
  const tried: string[] = [];
  const load: typeof loadReal = async (folder, options) => {
    const provider = options?.provider ?? "cpu";
    tried.push(provider);
    if (refused.includes(provider)) throw new Error(`No graph runs on ${provider}.`);
    return { ...(await loadFixture(folder)), provider };
  };
  return { load, tried };
}

test.for(["cuda", "tensorrt"] as const)(
  "%s can't be used on a missing device, and says why",
  async (name) => {
    expect(await gpuProblem(name, NOWHERE)).toMatch(/\w/);
  },
);

describe("a model", () => {
  test.for(PROVIDERS)("that loads on %s is loaded once, and there", async (provider) => {
    const { load, tried } = loader();
    const { model, fallback } = await loadOnProvider(load, config(provider, true));
    expect([model.provider, fallback, tried]).toEqual([provider, undefined, [provider]]);
  });

  test("for CUDA is refused with a remedy if CUDA can't be used", async () => {
    const { load, tried } = loader("cuda");
    const loading = loadOnProvider(load, config("cuda"));
    await expect(loading).rejects.toThrow(
      /^CUDA can't be used on device 999 \(.+\)\. Install .*CUDA 13 .*cuDNN 9.*CUDA image.*CPU_FALLBACK=true/,
    );
    expect(tried).toEqual(["cuda"]);
  });

  test("for CUDA is loaded on the CPU where that is allowed, with the reason", async () => {
    const { load, tried } = loader("cuda");
    const { model, fallback } = await loadOnProvider(load, config("cuda", true));
    expect([model.provider, tried]).toEqual(["cpu", ["cuda", "cpu"]]);
    expect(fallback).toBe(`CUDA can't be used on device 999 (${await gpuProblem("cuda", NOWHERE)}).`);
  });

  test("for TensorRT is refused with a remedy if it can't be used, or loaded on the CPU by name", async () => {
    const { load, tried } = loader("tensorrt");
    await expect(loadOnProvider(load, config("tensorrt"))).rejects.toThrow(
      /^TensorRT can't be used on device 999 \(.+\)\. Install .*TensorRT.*EXECUTION_PROVIDER=cuda.*CPU_FALLBACK=true/,
    );
    const { model, fallback } = await loadOnProvider(load, config("tensorrt", true));
    expect([model.provider, tried]).toEqual(["cpu", ["tensorrt", "tensorrt", "cpu"]]);
    expect(fallback).toMatch(/^TensorRT can't be used on device 999 /);
  });

  test("that loads nowhere fails with its own reason, not with CUDA's", async () => {
    const { load } = loader("cuda", "cpu");
    await expect(loadOnProvider(load, config("cuda", true))).rejects.toThrow("No graph runs on cpu.");
  });

  test("that fails on a usable CUDA is itself at fault: the CPU is not tried", async () => {
    const { load, tried } = loader("cuda");
    const loading = loadOnProvider(load, config("cuda", true), () => Promise.resolve(undefined));
    await expect(loading).rejects.toThrow("No graph runs on cuda.");
    expect(tried).toEqual(["cuda"]);
  });

  test("that fails on the CPU fails with its own reason", async () => {
    const { load } = loader("cpu");
    await expect(loadOnProvider(load, config("cpu", true))).rejects.toThrow("No graph runs on cpu.");
  });
});
