import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FileTemplate } from "../../inference-container/src/models/describe-folder.ts";
import { checkMetadata } from "../../inference-container/src/models/kserve/contract.ts";
import { ModelServer } from "../../inference-container/src/models/kserve/server.ts";
import { SERVER_FAMILY } from "../../inference-container/src/models/families.ts";
import { usageError } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";
import { serverToken } from "./load-options.ts";
import { type Description, filesToDescribe, MODELS, writeManifest } from "./write-manifest.ts";

const MODEL_PATH = /^\/v2\/models\/(?<model>[A-Za-z0-9._-]+)(?:\/versions\/(?<version>[A-Za-z0-9._-]+))?\/?$/;

/**
 * Writes the manifest of a folder whose model is on a server. It asks the server for the model's tensors first.
 * @throws Failure or ModelFolderError that names the missing, existing or different file or tensor
 */
export async function describeServer(
  folder: string,
  { force, server: url }: { readonly force: boolean; readonly server: string },
): Promise<Description> {
  const place = placeOf(url);
  await filesToDescribe(folder, force);
  const path = join(PROJECT_ROOT, MODELS, SERVER_FAMILY, "server.json");
  const template = FileTemplate.parse(JSON.parse(await readFile(path, "utf8")));
  const concurrency = 8;
  const server = new ModelServer({ ...place, concurrency }, serverToken().serverToken);
  checkMetadata(server.name, await server.metadata());
  const manifest = await writeManifest(folder, { ...template, server: { ...place, concurrency } }, force);
  return {
    manifest,
    recognised: String(template["description"]),
    filledIn: ["the server's address, the model's name and version", "the sizes and the digests"],
  };
}

/** @throws Failure, a usage error, if it is not the address of a model */
function placeOf(url: string): { origin: string; model: string; version?: string } {
  const { origin, pathname, search } = URL.canParse(url)
    ? new URL(url)
    : { origin: "", pathname: "", search: "" };
  const { model, version } = MODEL_PATH.exec(pathname)?.groups ?? {};
  if (model === undefined || search !== "" || !/^https?:/.test(origin))
    throw usageError(
      `--server must be a model's address, like http://triton:8000/v2/models/segment, not ${url}`,
    );
  return { origin, model, ...(version !== undefined && { version }) };
}
