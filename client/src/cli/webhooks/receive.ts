import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { whyForged } from "../../webhook-signature.ts";
import { systemCode, usageFailure } from "../failure.ts";

/** An event is a job's status at most, with 100 tasks. */
const MOST_BYTES = 1_000_000;

/** A request: a verified event, or the reason for its rejection. */
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
    const why = await whyForged(body, request.headers, known, Date.now());
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
