import type { LoadOptions } from "../../inference-container/src/models/loaded-model.ts";

/** The bearer token for a model server, from the environment, as an option of loading. */
export function serverToken(): Pick<LoadOptions, "serverToken"> {
  const token = process.env["MODEL_SERVER_TOKEN"];
  return token === undefined || token === "" ? {} : { serverToken: token };
}
