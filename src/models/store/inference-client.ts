import { z } from "zod";
import { sha256Hex } from "../../shared/digest.ts";
import { log, reasonOf } from "../../shared/log.ts";
import type { InferencePool, NoModel, Room, SubmitOutcome } from "./inference-pool.ts";
import {
  type DecoderRequest,
  ModelDescription,
  PICTURE_HEADER,
  PROTOCOL,
  PROTOCOL_HEADER,
  RoomAnswer,
  type RoomRequest,
  type TaskRequest,
  type WaitingTask,
} from "@segmentation/protocol";

const TIMEOUT_MS = 10_000;
/** Unless the service asks for another. */
export const DEFAULT_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 60_000;

/** An older service names no version. */
const AnyDescription = z.object({ protocol: z.int().default(0) });

const Refusal = z.object({ error: z.string().max(64) });

/** Returns the service's error code for a refused task, for the log. */
async function refusalCode(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  return Refusal.safeParse(body).data?.error ?? "";
}

/** Sends a request to an inference service. `path` begins after the service's origin. */
export type InferenceFetcher = (path: string, init: RequestInit & { headers: Headers }) => Promise<Response>;

/** Returns the fetcher of the service at a URL, which requires the token. */
export const serviceAt =
  (url: string, token: string): InferenceFetcher =>
  (path, init) => {
    init.headers.set("authorization", `Bearer ${token}`);
    return fetch(url + path, init);
  };

/** Returns the fetcher of a Durable Object, which forwards requests to a service that only it reaches. */
export const objectNamed =
  (namespace: DurableObjectNamespace, name: string): InferenceFetcher =>
  (path, init) =>
    namespace.getByName(name).fetch(`https://inference.internal${path}`, init);

/** The pool behind a fetcher, by the protocol of the inference service. */
export class InferenceClient implements InferencePool {
  readonly name: string;
  readonly #fetcher: InferenceFetcher;

  constructor(name: string, fetcher: InferenceFetcher) {
    this.name = name;
    this.#fetcher = fetcher;
  }

  /** @param uploadId the picture or video that the request is about: a load balancer can hash on its digest */
  async #ask(
    method: "GET" | "POST" | "DELETE",
    path: string,
    uploadId?: string,
    body?: TaskRequest | RoomRequest | DecoderRequest,
  ): Promise<Response> {
    const headers = new Headers({ "content-type": "application/json", [PROTOCOL_HEADER]: String(PROTOCOL) });
    if (uploadId !== undefined) headers.set(PICTURE_HEADER, await sha256Hex(uploadId));
    return await this.#fetcher(`/v1/${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  }

  async submit(request: TaskRequest, uploadId: string): Promise<SubmitOutcome> {
    let response: Response;
    try {
      response = await this.#ask("POST", "tasks", uploadId, request);
    } catch (error) {
      const reason = reasonOf(error);
      return { outcome: "busy", delayMs: DEFAULT_DELAY_MS, reason, expected: false, perhapsTaken: true };
    }
    if (response.ok) {
      await response.body?.cancel();
      return { outcome: "accepted" };
    }
    const { status } = response;
    const code = await refusalCode(response);
    let reason = `status ${status} ${code}`;
    if (status === 400) {
      const model = await this.describeModel();
      // A service of the Worker's version will never take the task; a service of another version may, once both match.
      if (!("otherProtocol" in model)) return { outcome: "refused", reason };
      ({ reason } = model);
    }
    // Anything else is the service's state or an operator's mistake (a wrong token), and not the task's fault.
    const seconds = Number(response.headers.get("retry-after"));
    const delayMs = seconds > 0 ? Math.min(seconds * 1_000, LONGEST_DELAY_MS) : DEFAULT_DELAY_MS;
    // A proxy that gave up waiting does not know what the service did.
    const perhapsTaken = status >= 500 && !(status === 503 && code !== "");
    return { outcome: "busy", delayMs, reason, expected: status === 429 || status === 503, perhapsTaken };
  }

  async room(tasks: readonly WaitingTask[], uploadId: string): Promise<Room | null> {
    const none = tasks.map(() => false);
    try {
      const response = await this.#ask("POST", "room", uploadId, { tasks });
      if (response.ok) return { ...RoomAnswer.parse(await response.json()), away: null };
      const { status } = response;
      const code = await refusalCode(response);
      if (status === 404) return null;
      return { room: none, away: { reason: `status ${status} ${code}`, expected: status === 503 } };
    } catch (error) {
      return { room: none, away: { reason: reasonOf(error), expected: false } };
    }
  }

  async describeModel(): Promise<ModelDescription | NoModel> {
    try {
      const response = await this.#ask("GET", "model");
      if (response.ok) {
        const answer: unknown = await response.json();
        const { protocol } = AnyDescription.parse(answer);
        if (protocol === PROTOCOL) return ModelDescription.parse(answer);
        const reason = `protocol_mismatch: the inference service speaks version ${protocol}, the Worker ${PROTOCOL}`;
        return { reason, otherProtocol: protocol };
      }
      return { reason: `status ${response.status} ${await refusalCode(response)}` };
    } catch (error) {
      return { reason: reasonOf(error) };
    }
  }

  async putDecoder(request: DecoderRequest): Promise<void> {
    try {
      const response = await this.#ask("POST", "decoder", undefined, request);
      await response.body?.cancel();
      if (!response.ok) log("warn", "decoder_refused", { reason: `status ${response.status}` });
    } catch (error) {
      log("warn", "decoder_refused", { reason: reasonOf(error) });
    }
  }

  async cancel(key: string, uploadId: string): Promise<void> {
    try {
      const response = await this.#ask("DELETE", `tasks/${key}`, uploadId);
      await response.body?.cancel();
    } catch {
      // The service is gone, and the task with it.
    }
  }
}
