import { createHash } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** A connection of a service, as the gateway sees it (RFC 6455, without fragments). */
export class Dialed {
  readonly headers: IncomingHttpHeaders;
  /** Text frames without pings. */
  readonly received: string[] = [];
  pings = 0;
  /** True to answer no pings. */
  isSilent: boolean;
  readonly closed: Promise<void>;
  readonly #socket: Duplex;
  #bytes = Buffer.alloc(0);

  constructor(headers: IncomingHttpHeaders, socket: Duplex, isSilent: boolean) {
    this.headers = headers;
    this.#socket = socket;
    this.isSilent = isSilent;
    this.closed = new Promise((resolve) => socket.on("close", resolve));
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
  }

  send(text: string): void {
    this.#write(1, Buffer.from(text));
  }

  close(code: number, reason: string): void {
    const head = Buffer.alloc(2);
    head.writeUInt16BE(code);
    this.#write(8, Buffer.concat([head, Buffer.from(reason)]));
    this.#socket.end();
  }

  /** Ends the connection as a crash does. */
  destroy(): void {
    this.#socket.destroy();
  }

  #write(opcode: number, payload: Buffer): void {
    const isLong = payload.length > 125;
    const head = Buffer.alloc(isLong ? 4 : 2);
    head[0] = 0x80 + opcode;
    head[1] = isLong ? 126 : payload.length;
    if (isLong) head.writeUInt16BE(payload.length, 2);
    this.#socket.write(Buffer.concat([head, payload]));
  }

  #read(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const [first = 0, second = 0] = this.#bytes;
      const short = second & 0x7f;
      const at = short === 126 ? 4 : 2;
      if (this.#bytes.length < at) return;
      const length = short === 126 ? this.#bytes.readUInt16BE(2) : short;
      if (this.#bytes.length < at + 4 + length) return;
      const mask = this.#bytes.subarray(at, at + 4);
      const payload = this.#bytes
        .subarray(at + 4, at + 4 + length)
        .map((byte, i) => byte ^ (mask[i % 4] ?? 0));
      this.#bytes = this.#bytes.subarray(at + 4 + length);
      this.#take(first & 0x0f, Buffer.from(payload).toString());
    }
  }

  #take(opcode: number, text: string): void {
    if (opcode === 8) this.#socket.end();
    if (opcode !== 1) return;
    if (text !== "ping") this.received.push(text);
    else {
      this.pings += 1;
      if (!this.isSilent) this.send("pong");
    }
  }
}

/** A gateway on a free port, which takes every connection. */
export interface FakeGateway extends AsyncDisposable {
  readonly url: string;
  /** All connections, in order. */
  readonly dialed: Dialed[];
  /** True to answer no pings on the next connections. */
  isSilent: boolean;
}

export async function startGateway(): Promise<FakeGateway> {
  const dialed: Dialed[] = [];
  const server = createServer();
  const gateway = { url: "", dialed, isSilent: false };
  server.on("upgrade", ({ headers }, socket: Duplex) => {
    const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}${MAGIC}`).digest("base64");
    const lines = ["HTTP/1.1 101 Switching Protocols", "upgrade: websocket", "connection: Upgrade"];
    socket.write(`${lines.join("\r\n")}\r\nsec-websocket-accept: ${accept}\r\n\r\n`);
    dialed.push(new Dialed(headers, socket, gateway.isSilent));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  gateway.url = `ws://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  return Object.assign(gateway, {
    [Symbol.asyncDispose]: async () => {
      for (const connection of dialed) connection.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
