import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { DEFAULT_CONFIG, readConfiguration } from "../../shared/cloudflare/configuration.ts";
import { Failure } from "../../shared/command-line.ts";
import { codeOf } from "../../shared/error-parts.ts";
import type { StateFolder } from "../../shared/state/state-folder.ts";

/** The ids of all JobObjects, in pages. A Worker can't list them itself. */
export type ObjectIds = AsyncIterable<readonly string[]>;

const CLASS_NAME = "JobObject";
const FILE = /^([0-9a-f]{64})\.sqlite$/;

/**
 * Returns those of a local stack: the folder of the class has a file for each, named by its id.
 * @throws Failure if there is none
 */
export async function* localObjectIds(state: StateFolder): ObjectIds {
  const { name } = await readConfiguration(DEFAULT_CONFIG, { operator: false });
  const folder = join(state.data, "v3", "do", `${name}-${CLASS_NAME}`);
  try {
    yield (await readdir(folder)).flatMap((file) => FILE.exec(file)?.[1] ?? []);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    throw new Failure(
      `There are no JobObjects: ${folder} does not exist. Set STATE_DIR to the stack's folder.`,
    );
  }
}

const API = "https://api.cloudflare.com/client/v4";
const PAGE = 1_000;

const Namespaces = z.object({
  result: z.array(z.object({ id: z.string(), class: z.string(), script: z.string() })),
});
const Objects = z.object({
  result: z.array(z.object({ id: z.string(), hasStoredData: z.boolean() })),
  result_info: z.object({ cursor: z.string().optional() }).optional(),
});

/**
 * Returns those of the deployed Worker, by Cloudflare's API for Durable Objects ("List Namespaces", "List Objects").
 * @throws Failure if the environment lacks CLOUDFLARE_ACCOUNT_ID or CLOUDFLARE_API_TOKEN, or Cloudflare refuses
 */
export async function* remoteObjectIds(configFile: string, signal: AbortSignal): ObjectIds {
  const { CLOUDFLARE_ACCOUNT_ID: account, CLOUDFLARE_API_TOKEN: token } = process.env;
  if (account === undefined || token === undefined) {
    throw new Failure(
      "Set CLOUDFLARE_ACCOUNT_ID, and CLOUDFLARE_API_TOKEN to a token that may read Workers Scripts: Cloudflare lists the objects.",
    );
  }
  const ask = async <T>(path: string, answer: z.ZodType<T>): Promise<T> => {
    const response = await fetch(`${API}/accounts/${account}/workers/durable_objects/namespaces${path}`, {
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
    if (!response.ok)
      throw new Failure(`Cloudflare answered ${response.status} to the request for the list of objects.`);
    return answer.parse(await response.json());
  };
  const { name } = await readConfiguration(configFile);
  const { result: namespaces } = await ask("?per_page=1000", Namespaces);
  const namespace = namespaces.find(
    ({ class: className, script }) => className === CLASS_NAME && script === name,
  );
  if (namespace === undefined) throw new Failure(`Cloudflare has no namespace for ${CLASS_NAME} in ${name}.`);
  for (let cursor = ""; ;) {
    const from = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await ask(`/${namespace.id}/objects?limit=${PAGE}${from}`, Objects);
    yield page.result.filter(({ hasStoredData }) => hasStoredData).map(({ id }) => id);
    cursor = page.result_info?.cursor ?? "";
    if (cursor === "") return;
  }
}
