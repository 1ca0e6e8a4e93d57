import { type Provider, PROVIDERS } from "../../inference-container/src/device/messages.ts";
import type { LoadOptions } from "../../inference-container/src/models/loaded-model.ts";
import { usageError } from "../shared/command-line.ts";

/** The provider with that name, by default the CPU. @throws Failure, a usage error */
export function providerOf(given: string | undefined): Provider {
  const provider = PROVIDERS.find((name) => name === (given ?? "cpu"));
  if (provider === undefined) throw usageError(`--provider must be one of: ${PROVIDERS.join(", ")}.`);
  return provider;
}

/** The bearer token for a model server, from the environment, as an option for loading a model. */
export function serverToken(): Pick<LoadOptions, "serverToken"> {
  const token = process.env["MODEL_SERVER_TOKEN"];
  return token === undefined || token === "" ? {} : { serverToken: token };
}
