import { usageError } from "../shared/command-line.ts";

const PROVIDERS = ["cpu", "cuda"] as const;
/** An execution provider of ONNX Runtime that a folder can be loaded with. */
export type Provider = (typeof PROVIDERS)[number];

/** The provider of that name, by default the CPU. @throws Failure, a usage error */
export function providerOf(given: string | undefined): Provider {
  const provider = PROVIDERS.find((name) => name === (given ?? "cpu"));
  if (provider === undefined) throw usageError(`--provider must be ${PROVIDERS.join(" or ")}.`);
  return provider;
}
