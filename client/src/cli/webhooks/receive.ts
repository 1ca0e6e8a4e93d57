import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { systemCode, usageFailure } from "../failure.ts";

/** By how much the clocks of sender and receiver may differ, and how old a request may be. */
const TOLERANCE_SECONDS = 300;

export interface SignedRequest {
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

/**
 * Why a request was not signed with the secret; undefined if it was (Standard Webhooks, "Verifying webhook
 * authenticity"). @param secret `whsec_` and base64 @param now epoch milliseconds
 */
export function whyForged(secret: string, { headers, body }: SignedRequest, now: number): string | undefined {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    String(headers[name] ?? ""),
  );
  if (!id || !timestamp || !signatures) return "it is not signed";
  if (!(Math.abs(now / 1_000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return "its signature is too old";
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  const isGood = signatures.split(" ").some((signature) => {
    const [version, value = ""] = signature.split(",");
    const given = Buffer.from(value, "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isGood ? undefined : "its signature is wrong";
}

/** An event is a job's status at most, with 100 tasks. */
const MOST_BYTES = 1_000_000;

/** A request: a verified event, or why it was rejected. */
export type Received =
  | { readonly id: string; readonly isAgain: boolean; readonly body: string }
  | { readonly refused: string };

export interface Receiver {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Receives events on a port of this machine, 0 for any, and reports each. @throws Failure if the port is taken */
export async function receive(
  port: number,
  secret: () => string | undefined,
  onReceived: (received: Received) => void,
): Promise<Receiver> {
  const seen = new Set<string>();
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number): void => void response.writeHead(status, { connection: "close" }).end();
    const known = secret();
    const body = request.method === "POST" ? await bodyOf(request) : undefined;
    if (body === undefined || known === undefined) return answer(body === undefined ? 400 : 503);
    const why = whyForged(known, { headers: request.headers, body }, Date.now());
    if (why !== undefined) {
      onReceived({ refused: why });
      return answer(401);
    }
    const id = String(request.headers["webhook-id"]);
    onReceived({ id, isAgain: seen.has(id), body: body.toString("utf8") });
    seen.add(id);
    return answer(204);
  }
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    if (systemCode(error) !== "EADDRINUSE") throw error;
    throw usageFailure(`Port ${port} is in use. Choose another with --port.`);
  }
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A request's body; undefined if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    const bytes = Buffer.from(piece);
    length += bytes.length;
    if (length > MOST_BYTES) return undefined;
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}
