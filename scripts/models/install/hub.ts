/** A hub with the API of Hugging Face: repositories and their files. */
import { z } from "zod";
import { hasCode, reasonOf } from "../../../inference-container/src/errors.ts";
import { DownloadError } from "../../../inference-container/src/models/errors.ts";
import type { HubFile } from "../../../inference-container/src/models/manifest.ts";
import { discard, isTransient, readText } from "../../../inference-container/src/http-client.ts";
import { usageError } from "../../shared/command-line.ts";

const LISTING_BYTES = 10_000_000;
const LISTING_MS = 60_000;

/** A digest that the hub lists: SHA-256 for large files, git's blob id for the others. */
interface Digest {
  readonly kind: "sha256" | "git";
  readonly hex: string;
}

export interface ListedFile {
  readonly size: number;
  readonly digest: Digest;
}

/** A repository at one commit. */
export interface Listing {
  readonly commit: string;
  readonly files: ReadonlyMap<string, ListedFile>;
}

/** A failure that may be temporary: the same request is worth another attempt. */
export class Interruption extends DownloadError {}

const Answer = z.object({
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  siblings: z.array(
    z.object({
      rfilename: z.string(),
      size: z.int().nonnegative().nullish(),
      blobId: z
        .string()
        .regex(/^[0-9a-f]{40}$/)
        .nullish(),
      lfs: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), size: z.int().nonnegative() }).nullish(),
    }),
  ),
});

export class Hub {
  /** Its address, without a slash at the end. */
  readonly address: string;
  readonly #token: string | undefined;

  /** @param token a bearer token for the hub alone, not for the targets of its redirects */
  constructor(address: string, token: string | undefined) {
    this.address = address.replace(/\/+$/, "");
    this.#token = token;
  }

  /** Lists the files of a repository's main branch, with its commit. @throws DownloadError that names the problem */
  async list(repository: string): Promise<Listing> {
    const url = `${this.address}/api/models/${repository}/revision/main?blobs=true`;
    const answer = await this.#get(url, repository, AbortSignal.timeout(LISTING_MS));
    if (!answer.ok) throw await this.#refusal(answer, repository, "main");
    const { origin } = new URL(answer.url);
    if (origin !== this.#origin) {
      await discard(answer);
      throw new DownloadError(
        `${this.#host} redirects to ${origin} for the list of ${repository}. The digests in it must come from the hub that you chose: set HF_ENDPOINT=${origin} if that is the one.`,
      );
    }
    const { sha, siblings } = await readText(answer, LISTING_BYTES)
      .then((text) => Answer.parse(JSON.parse(text)))
      .catch(() => {
        throw new DownloadError(
          `${this.#host} does not list ${repository} as Hugging Face does. Check HF_ENDPOINT, and run the command again.`,
        );
      });
    return { commit: sha, files: new Map(siblings.flatMap(listed)) };
  }

  /**
   * Requests a file from byte `start` on.
   * @returns the answer, with the status 200 for the whole file or 206 for the rest
   * @throws Interruption or DownloadError that names the problem
   */
  async open({ repository, commit, path }: HubFile, start: number, signal: AbortSignal): Promise<Response> {
    const url = `${this.address}/${repository}/resolve/${commit}/${path}`;
    const range = start > 0 ? { range: `bytes=${start}-` } : {};
    const answer = await this.#get(url, `${path} of ${repository}`, signal, range);
    if (answer.ok) return answer;
    throw await this.#refusal(answer, repository, commit, path);
  }

  /** Returns the failure for an error of a download. */
  failure({ repository, path }: HubFile, error: unknown): DownloadError {
    const what = `${path} of ${repository}`;
    if (hasCode(error, "ENOSPC"))
      return new DownloadError(
        `The disk is full: ${what} has no room on it. Make room, and run the command again.`,
      );
    return this.#broken(what, error);
  }

  get #origin(): string {
    return new URL(this.address).origin;
  }

  get #host(): string {
    return new URL(this.address).host;
  }

  async #get(
    url: string,
    what: string,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    // At a redirect to another origin, fetch leaves the token out. A compressed body has another length.
    const token = this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
    try {
      return await fetch(url, { signal, headers: { ...headers, ...token, "accept-encoding": "identity" } });
    } catch (error) {
      throw this.#broken(what, error);
    }
  }

  #broken(what: string, error: unknown): Interruption {
    return new Interruption(
      `${what} did not come from ${this.#host} (${reasonOf(error)}). Check the network; behind a proxy, set NODE_USE_ENV_PROXY=1; HF_ENDPOINT chooses a mirror. Run the command again: it goes on where it stopped.`,
    );
  }

  async #refusal(
    answer: Response,
    repository: string,
    revision: string,
    path?: string,
  ): Promise<DownloadError> {
    await discard(answer);
    const { status } = answer;
    const { origin, host } = new URL(answer.url);
    const what = path === undefined ? repository : `${path} of ${repository}`;
    if (isTransient(status))
      return new Interruption(`${host} answered ${status} for ${what}. Try again later.`);
    if (origin !== this.#origin)
      return new DownloadError(`${host}, where ${this.#host} redirects, answered ${status} for ${what}.`);
    const page = `${this.address}/${repository}`;
    if (status === 401 && this.#token === undefined)
      return new DownloadError(
        `${host} gives ${what} only to those with a token, or does not have it. Ask for access at ${page}, make a token at ${origin}/settings/tokens, and set HF_TOKEN to it.`,
      );
    if (status === 401)
      return new DownloadError(
        `${host} does not accept HF_TOKEN for ${what}. Make a new token at ${origin}/settings/tokens.`,
      );
    if (status === 403)
      return new DownloadError(
        `${host} does not give ${what} to the account of HF_TOKEN. Ask for access at ${page}; the token needs the permission to read gated repositories.`,
      );
    if (status === 404)
      return new DownloadError(
        `${host} has no ${what} at ${revision}. It was moved or deleted: see ${page}.`,
      );
    return new DownloadError(`${host} answered ${status} for ${what}.`);
  }
}

/** The hub of HF_ENDPOINT, else Hugging Face, with the token of HF_TOKEN. @throws Failure, a usage error */
export function hubOf(env: NodeJS.ProcessEnv): Hub {
  const address = env["HF_ENDPOINT"] || "https://huggingface.co";
  const { protocol, username, search, hash } = URL.parse(address) ?? { protocol: "" };
  if (!/^https?:$/.test(protocol) || username !== "" || search !== "" || hash !== "")
    throw usageError(
      "HF_ENDPOINT must be the http(s) address of a hub, and without credentials: HF_TOKEN has them.",
    );
  return new Hub(address, env["HF_TOKEN"] || undefined);
}

function listed({
  rfilename,
  size,
  blobId,
  lfs,
}: z.infer<typeof Answer>["siblings"][number]): [string, ListedFile][] {
  if (lfs) return [[rfilename, { size: lfs.size, digest: { kind: "sha256", hex: lfs.sha256 } }]];
  if (typeof size !== "number" || !blobId) return [];
  return [[rfilename, { size, digest: { kind: "git", hex: blobId } }]];
}
