/** A server of the Open Inference Protocol (KServe v2) over HTTP, such as Triton: its health, its model's metadata, requests. */
import { cutText } from "@segmentation/protocol";
import { connectionCode, reasonOf } from "../../errors.ts";
import { AnswerTooLong, discard, readText } from "../../http-client.ts";
import { ModelFolderError } from "../errors.ts";
import { ModelMetadata } from "./contract.ts";
import type { Server } from "./manifest.ts";

/** Time limit of the server's answers about its health and its model. */
const HEALTH_MS = 5_000;
const METADATA_BYTES = 262_144;
const SAID_BYTES = 4_096;
/** The most characters of a server's answer in the log. */
const SAID_LENGTH = 300;

/** Codes of connections that were never made: the server did not see the request. */
const UNREACHED = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

export class ModelServer {
  readonly #server: Server;
  readonly #token: string | undefined;

  /** @param token is sent as a bearer token, to this origin alone, and never logged */
  constructor(server: Server, token: string | undefined) {
    this.#server = server;
    this.#token = token;
  }

  /** Names the model in messages. */
  get name(): string {
    const { origin, model, version } = this.#server;
    return `The model "${model}"${version === undefined ? "" : ` (version ${version})`} at ${origin}`;
  }

  /** The reason why it can't work at present; undefined if the server and the model are live and ready. */
  async problem(): Promise<string | undefined> {
    for (const path of ["v2/health/live", "v2/health/ready", `${this.#path}/ready`]) {
      try {
        const answer = await this.ask(path, { signal: AbortSignal.timeout(HEALTH_MS) });
        const { status } = answer;
        const said = await this.said(answer);
        // Triton answers with a status alone, others also with JSON.
        if (status === 200 && !/"(?:live|ready)"\s*:\s*false/.test(said)) continue;
        // Triton says 400 of a model that it has not, or not yet, loaded.
        const advice = adviceFor(path.startsWith(this.#path) && status === 400 ? 404 : status);
        return `${this.name} is not ready: ${path} answered ${status}.${advice}`;
      } catch (error) {
        return `${this.name} can't be reached (${reasonOf(error)}).`;
      }
    }
    return undefined;
  }

  /** The model's inputs and outputs. @throws ModelFolderError if the server doesn't return them */
  async metadata(): Promise<ModelMetadata> {
    const answer = await this.ask(this.#path, { signal: AbortSignal.timeout(HEALTH_MS) }).catch(
      (error: unknown) => {
        throw new ModelFolderError(`${this.name} can't be reached (${reasonOf(error)}).`);
      },
    );
    if (answer.status !== 200)
      throw new ModelFolderError(
        `${this.name} has no metadata: the server answered ${answer.status}: ${await this.said(answer)}`,
      );
    const parsed = ModelMetadata.safeParse(await readJson(answer));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new ModelFolderError(
      `The metadata of ${this.name} is wrong at "${issue?.path.join(".")}": ${issue?.message}.`,
    );
  }

  /**
   * Sends an inference request.
   * @throws Error if no answer began; `wasReached` tells whether the server may have worked on it
   */
  infer(body: Uint8Array<ArrayBuffer>, headerBytes: number, signal: AbortSignal): Promise<Response> {
    const headers = {
      "content-type": "application/octet-stream",
      "inference-header-content-length": String(headerBytes),
    };
    return this.ask(`${this.#path}/infer`, { method: "POST", headers, body, signal });
  }

  /** A request to the configured origin; a redirect is an answer like any other, and not followed. */
  ask(path: string, { headers, ...init }: RequestInit): Promise<Response> {
    return fetch(`${this.#server.origin}/${path}`, {
      ...init,
      redirect: "manual",
      headers: {
        ...Object.fromEntries(new Headers(headers)),
        // No header announces the uncompressed length of a compressed body.
        "accept-encoding": "identity",
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
      },
    });
  }

  /** The beginning of an answer's text, for the log: without the token, and in one line. */
  async said(answer: Response): Promise<string> {
    const text = await readText(answer, SAID_BYTES).catch(() => "");
    const plain = this.#token === undefined ? text : text.replaceAll(this.#token, "…");
    return cutText(plain.replaceAll(/[\p{Cc}\s]+/gu, " "), SAID_LENGTH);
  }

  get #path(): string {
    const { model, version } = this.#server;
    return `v2/models/${model}${version === undefined ? "" : `/versions/${version}`}`;
  }
}

/** True if the server may have worked on a failed request: its connection was made, and broke. */
export function wasReached(error: unknown): boolean {
  return !UNREACHED.has(connectionCode(error));
}

/** Advice to an operator about a status that lasts until a person acts. */
export function adviceFor(status: number): string {
  if (status === 401 || status === 403) return " Set MODEL_SERVER_TOKEN to a token that the server accepts.";
  if (status === 404) return " Check the model's name and version in the manifest.";
  if (status >= 300 && status < 400)
    return " Redirects are not followed: correct the origin in the manifest.";
  return "";
}

async function readJson(answer: Response): Promise<unknown> {
  try {
    return JSON.parse(await readText(answer, METADATA_BYTES));
  } catch (error) {
    if (!(error instanceof AnswerTooLong)) return undefined;
    throw new ModelFolderError(`The model's metadata: ${error.message}`);
  } finally {
    await discard(answer);
  }
}
