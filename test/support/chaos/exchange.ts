import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { listen as listenOn } from "../../../scripts/shared/listen.ts";

/** A request as it came, with its whole body. */
export interface Taken {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Buffer<ArrayBuffer>;
}

/** The answer; null for a connection that breaks without one. */
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Buffer } | null;

type Headers = Readonly<Record<string, string>>;

export const emptyAnswer = (status: number): Answer => ({ status, headers: {}, body: Buffer.alloc(0) });

/** The headers that Worker and service exchange. */
const HEADERS = ["authorization", "content-type", "retry-after"] as const;

const headersBy = (valueOf: (name: (typeof HEADERS)[number]) => string | null | undefined): Headers =>
  Object.fromEntries(
    HEADERS.flatMap((name) => {
      const value = valueOf(name);
      return value === undefined || value === null ? [] : [[name, value]];
    }),
  );

async function taken(incoming: IncomingMessage): Promise<Taken> {
  const { method = "GET", url: path = "/" } = incoming;
  const headers = headersBy((name) => incoming.headers[name]);
  return { method, path, headers, body: Buffer.from(await buffer(incoming)) };
}

/** Sends a request on to `origin` and returns its answer; null if there is none. */
export async function passOn({ method, path, headers, body }: Taken, origin: string | null): Promise<Answer> {
  if (origin === null) return null;
  try {
    const answer = await fetch(new URL(path, origin), {
      method,
      headers,
      redirect: "manual",
      ...(body.length > 0 && { body }),
    });
    const kept = headersBy((name) => answer.headers.get(name));
    return { status: answer.status, headers: kept, body: Buffer.from(await answer.arrayBuffer()) };
  } catch {
    return null;
  }
}

/** Listens on a free port of this machine and answers each request by `reply`. Returns the origin. */
export async function listen(reply: (request: Taken) => Promise<Answer>): Promise<string> {
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const answer = await reply(await taken(incoming));
    if (answer === null) outgoing.destroy();
    else outgoing.writeHead(answer.status, answer.headers).end(answer.body);
  };
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch(() => outgoing.destroy());
  });
  return await listenOn(server);
}
