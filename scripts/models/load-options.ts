import type { LoadOptions } from "../../inference-container/src/models/loaded-model.ts";
import { usageError } from "../shared/command-line.ts";

const PROVIDERS = ["cpu", "cuda"] as const;
/** An execution provider of ONNX Runtime that a folder can be loaded with. */
export type Provider = (typeof PROVIDERS)[number];

/** The provider with that name, by default the CPU. @throws Failure, a usage error */
export function providerOf(given: string | undefined): Provider {
  const provider = PROVIDERS.find((name) => name === (given ?? "cpu"));
  if (provider === undefined) throw usageError(`--provider must be ${PROVIDERS.join(" or ")}.`);
  return provider;
}

/** The bearer token for a model server, from the environment, as an option for loading a model. */
export function serverToken(): Pick<LoadOptions, "serverToken"> {
  const token = process.env["MODEL_SERVER_TOKEN"];
  return token === undefined || token === "" ? {} : { serverToken: token };
}
