import { z } from "zod";
import { ModelDescription } from "./model.ts";
import { TaskKey } from "./task.ts";

/** The path of the gateway, after the Worker's URL. A service connects to it by WebSocket, with its token as bearer. */
export const GATEWAY_PATH = "/internal/inference/connect";

/** The size limit of a frame in either direction, in bytes. */
export const MOST_FRAME_BYTES = 1_048_576;

/** Bytes of a code point in UTF-8. */
const bytesOf = (character: string): number => {
  const point = character.codePointAt(0) ?? 0;
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
};

/** Returns true if a frame's text is within the limit. */
export function fitsFrame(text: string): boolean {
  if (text.length <= MOST_FRAME_BYTES / 3) return true;
  let bytes = 0;
  for (const character of text) bytes += bytesOf(character);
  return bytes <= MOST_FRAME_BYTES;
}

/** Returns the content of a frame or a body in JSON; undefined if it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The service sends `PING` every `PING_MS`. A service without a pong in `PONG_MS` connects again. */
export const PING = "ping";
export const PONG = "pong";
export const PING_MS = 5_000;
export const PONG_MS = 10_000;
/** A service whose last ping is older is silent: it gets no tasks. */
export const SILENT_MS = 15_000;
/** A service that has tasks and lost its connection pauses at most this long before it connects again. */
export const BUSY_PAUSE_MS = 2_000;

/** The codes with which the gateway closes a connection; each comes with a sentence. */
export const GATEWAY_CLOSE = {
  /** Another connection has the same token. */
  replaced: 4000,
  /** The token is unknown or revoked. */
  revoked: 4001,
  /** The versions of the protocol differ. */
  incompatible: 4002,
  /** The service broke the protocol. */
  misbehaved: 4003,
  /** The service sent no pings. */
  silent: 4004,
} as const;

const MOST_TASKS = 10_000;

/** Names the version of the protocol, in the first frame of any version. */
export const AnyHello = z.object({ type: z.literal("hello"), protocol: z.int() });

/** The first frame of a service. */
export const GatewayHello = z.strictObject({
  ...AnyHello.shape,
  /** The release of the service. */
  version: z.string().max(100),
  /** The device that runs the model, for operators. */
  device: z.string().max(100),
  /** Tasks that it can process at the same time. */
  places: z.int().positive(),
  model: ModelDescription,
  /** The tasks that it has: it may have been connected before. */
  tasks: z.array(TaskKey).max(MOST_TASKS).readonly(),
});
export type GatewayHello = z.infer<typeof GatewayHello>;

/** A request of the protocol, for the service. */
export const GatewayRequest = z.strictObject({
  type: z.literal("request"),
  id: z.string().max(100),
  method: z.enum(["GET", "POST", "DELETE"]),
  path: z.string().startsWith("/v1/").max(300),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
});
export type GatewayRequest = z.infer<typeof GatewayRequest>;

/** The service's answer to the request with this id. */
export const GatewayAnswer = z.strictObject({
  type: z.literal("answer"),
  id: z.string().max(100),
  status: z.int().min(200).max(599),
  /** The header Retry-After, in seconds. */
  retryAfter: z.int().positive().nullable(),
  body: z.string(),
});
export type GatewayAnswer = z.infer<typeof GatewayAnswer>;

/** The end of a task in the service, after its last callback. */
export const GatewayEnded = z.strictObject({ type: z.literal("ended"), key: TaskKey });
export type GatewayEnded = z.infer<typeof GatewayEnded>;

/** A frame of a service: its first one, then answers and ends. */
export const ServiceFrame = z.discriminatedUnion("type", [GatewayHello, GatewayAnswer, GatewayEnded]);
export type ServiceFrame = z.infer<typeof ServiceFrame>;
