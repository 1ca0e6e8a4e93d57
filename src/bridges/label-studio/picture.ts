import { z } from "zod";
import { ServiceError } from "../../core/errors.ts";
import { publicUrlRefusal } from "../../core/lib/public-url.ts";
import { readAtMost } from "../../core/lib/read-at-most.ts";
import { publicUrlTermsOf } from "../../settings.ts";
import type { BridgeClient } from "../client.ts";
import type { Source } from "../uploads.ts";

/** The most bytes of a file that Label Studio keeps itself: it passes through the Worker's memory. */
const MOST_BYTES = 10_000_000;
const TIMEOUT_MS = 20_000;

/**
 * The picture that a task names: `upload:<taskId>`, a URL, or a path of the operator's Label Studio.
 * @throws ServiceError invalid_request; once it is read, url_forbidden, import_failed, upload_too_large.
 */
export function sourceOf(client: BridgeClient, named: unknown): Source {
  if (typeof named !== "string" || named === "")
    throw new ServiceError("invalid_request", "A task has no picture in the field that the interface shows.");
  if (named.startsWith("upload:")) return { taskId: named.slice("upload:".length) };
  const { LABEL_STUDIO_URL: address } = client.platform.settings;
  const isOwn = named.startsWith("/") || (address !== undefined && named.startsWith(`${address}/data/`));
  if (!isOwn) return { url: named };
  return { path: named, read: () => ownFile(client, named) };
}

const failed = (reason: string): ServiceError =>
  new ServiceError(
    "import_failed",
    `Label Studio did not give the task's file: ${reason}. Check LABEL_STUDIO_URL and LABEL_STUDIO_TOKEN.`,
  );

async function ownFile({ platform, account }: BridgeClient, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const { settings } = platform;
  const {
    LABEL_STUDIO_URL: address,
    LABEL_STUDIO_TOKEN: token,
    LABEL_STUDIO_ACCOUNTS: accounts = [],
  } = settings;
  // Whoever may have a file segmented sees it.
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
  return fetched(url, { headers: { authorization: await authorizationOf(address, token ?? "") } });
}

/** The header for the operator's token: a legacy one is sent as it is; a personal access token, a JWT, only gives tokens of five minutes. */
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
