import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { publicUrlRefusal } from "../../shared/public-url.ts";
import { quoted } from "../../http/strict-json.ts";
import { readAtMost } from "../../shared/read-at-most.ts";
import { publicUrlTermsOf } from "../../feature-settings.ts";
import type { Requester } from "../../segment/operations/requester.ts";
import type { Source } from "../../segment/operations/new-upload.ts";
import { valueOf } from "./value.ts";

/** Maximum bytes of a file that Label Studio stores: it passes through the Worker's memory. */
const MOST_BYTES = 10_000_000;
const TIMEOUT_MS = 20_000;

/** Authorizes the requests of one prediction: with a personal access token, one access token fetches all files of its tasks. */
type Authorize = () => Promise<string>;

/**
 * Returns the pictures that tasks name, each as `upload:<taskId>`, a URL, or a path of the operator's Label Studio.
 * @param image the attribute of the interface that names them
 * @throws ServiceError invalid_request; once it is read, url_forbidden, import_failed, upload_too_large.
 */
export function sourcesOf(client: Requester, image: string, tasks: readonly { data: object }[]): Source[] {
  const { LABEL_STUDIO_URL: address, LABEL_STUDIO_TOKEN: token = "" } = client.platform.settings;
  let authorization: Promise<string> | undefined;
  const authorize: Authorize = () => (authorization ??= authorizationOf(address ?? "", token));
  return tasks.map(({ data }) => {
    const each = valueOf(image, data);
    if (typeof each !== "string" || each === "")
      throw new ServiceError(
        "invalid_request",
        `A task has no picture in the field that <Image value=${quoted(image)}> names. Add its URL to the task's data.`,
      );
    if (each.startsWith("upload:")) return { taskId: each.slice("upload:".length) };
    const isOwn = each.startsWith("/") || (address !== undefined && each.startsWith(`${address}/data/`));
    return isOwn ? { path: each, read: () => ownFile(client, each, authorize) } : { url: each };
  });
}

const failed = (reason: string): ServiceError =>
  new ServiceError(
    "import_failed",
    `Label Studio did not give the task's file: ${reason}. Check LABEL_STUDIO_URL and LABEL_STUDIO_TOKEN.`,
  );

async function ownFile(
  { platform, account }: Requester,
  path: string,
  authorize: Authorize,
): Promise<Uint8Array<ArrayBuffer>> {
  const { settings } = platform;
  const { LABEL_STUDIO_URL: address, LABEL_STUDIO_ACCOUNTS: accounts = [] } = settings;
  // An account that may segment a file can see it.
  if (address === undefined || !accounts.includes(account.accountId))
    throw new ServiceError(
      "url_forbidden",
      "The task's picture is a file of Label Studio itself, which this account may not fetch. Name a public URL, or ask the service's operator to set LABEL_STUDIO_ACCOUNTS.",
    );
  const url = URL.parse(path, `${address}/`)?.href ?? "";
  const refusal = url.startsWith(`${address}/data/`)
    ? publicUrlRefusal(url, publicUrlTermsOf(settings))
    : new ServiceError("url_forbidden", "The path is not one of Label Studio's files, below /data/.");
  if (refusal !== null) throw refusal;
  return fetched(url, { headers: { authorization: await authorize() } });
}

/**
 * Returns the header for the operator's token. Sends a legacy token unchanged; a personal access token, a JWT, only gives tokens
 * of five minutes.
 */
async function authorizationOf(address: string, token: string): Promise<string> {
  if (token.split(".").length !== 3) return `Token ${token}`;
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ refresh: token });
  const answer = await fetched(`${address}/api/token/refresh/`, { method: "POST", headers, body });
  try {
    return `Bearer ${Refreshed.parse(JSON.parse(new TextDecoder().decode(answer))).access}`;
  } catch {
    throw failed("no access token");
  }
}

const Refreshed = z.object({ access: z.string() });

async function fetched(url: string, init: RequestInit): Promise<Uint8Array<ArrayBuffer>> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { ...init, signal, redirect: "manual" }).catch(() => {
    throw failed("no answer");
  });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw failed(`status ${response.status}`);
  }
  const bytes = await readAtMost(response.body, MOST_BYTES);
  if (bytes === null)
    throw new ServiceError(
      "upload_too_large",
      `The task's file is larger than ${MOST_BYTES / 1_000_000} MB.`,
    );
  return bytes;
}
