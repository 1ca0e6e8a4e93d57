import { z } from "zod";
import { sha256Hex } from "../../shared/digest.ts";
import { reasonOf } from "../../shared/log.ts";
import {
  ModelDescription,
  PICTURE_HEADER,
  PROTOCOL,
  PROTOCOL_HEADER,
  RoomAnswer,
  type RoomRequest,
  type TaskRequest,
  type WaitingTask,
} from "@segmentation/protocol";

/** The inference service's answer to a task. `busy` is back-pressure: offer the task again after `delayMs`. */
export type SubmitOutcome =
  | { readonly outcome: "accepted" }
  | {
      readonly outcome: "busy";
      readonly delayMs: number;
      readonly reason: string;
      /** False if an operator should check: the service is unreachable, or gives an invalid answer. */
      readonly expected: boolean;
      /** True if the service may have taken the task: it gave no answer, or a proxy answered in its place. */
      readonly perhapsTaken: boolean;
    }
  | { readonly outcome: "refused"; readonly reason: string };

/** The tasks that would find room; `away` has the reason if it is not their number. */
export interface Room {
  readonly room: readonly boolean[];
  /** `expected` is false if an operator should check. */
  readonly away: { readonly reason: string; readonly expected: boolean } | null;
}

const TIMEOUT_MS = 10_000;
/** Unless the service asks for another. */
export const DEFAULT_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 60_000;

/** An older service names no version. */
const AnyDescription = z.object({ protocol: z.int().default(0) });

/** The reason why the service reports no readable model, for the log. */
export interface NoModel {
  readonly reason: string;
  /** The service's version of the protocol if it is not the Worker's. */
  readonly otherProtocol?: number;
}

const Refusal = z.object({ error: z.string().max(64) });

/** Returns the service's error code for a refused task, for the log. */
async function refusalCode(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  return Refusal.safeParse(body).data?.error ?? "";
}

/** The inference service, by its HTTP protocol. */
export class InferenceClient {
  readonly #baseUrl: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl;
    this.#headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      [PROTOCOL_HEADER]: String(PROTOCOL),
    };
  }

  /** @param uploadId the picture or clip that the request is about: a load balancer can hash on its digest */
  async #ask(
    method: "GET" | "POST" | "DELETE",
    path: string,
    uploadId?: string,
    body?: TaskRequest | RoomRequest,
  ): Promise<Response> {
    return await fetch(`${this.#baseUrl}/v1/${path}`, {
      method,
      headers: {
        ...this.#headers,
        ...(uploadId !== undefined && { [PICTURE_HEADER]: await sha256Hex(uploadId) }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  }

  /** Offers a task of an upload. A service that can't be reached counts as busy: it may come back. */
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

  /**
   * Returns which of these tasks would find room if they were offered now, in this order. Null if the service is too old to
   * answer. None does if the service is away, or refuses us; `reason` has the cause, for the log.
   * @param uploadId the first task's
   */
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

  /** The model that the service has loaded, if it speaks the Worker's version of the protocol. */
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

  /** Makes the service drop a task, if it is reachable; otherwise the task's next callback does. */
  async cancel(key: string, uploadId: string): Promise<void> {
    try {
      const response = await this.#ask("DELETE", `tasks/${key}`, uploadId);
      await response.body?.cancel();
    } catch {
      // The service is gone, and the task with it.
    }
  }
}
