import type { Connection } from "../http/connection.ts";
import type { Exchange } from "../http/exchange.ts";

/** Sends a file or a part of one, and reports the number of bytes sent. */
export type SendFile = (sending: {
  readonly connection: Connection;
  readonly url: string;
  readonly file: Blob;
  /** Undefined of a part. */
  readonly contentType: string | undefined;
  readonly exchange: Exchange;
  readonly onBytes: (bytes: number) => void;
}) => Promise<Response>;

/** `fetch` does not report the progress of a body. A request's time limit grows by a second per this many bytes. */
const SLOWEST_BYTES_PER_SECOND = 64 * 1024;

/** The used part of the browsers' class; other platforms, and their types, lack it. */
declare const XMLHttpRequest: (new () => BrowserRequest) | undefined;
interface BrowserRequest {
  readonly status: number;
  readonly responseText: string;
  readonly upload: {
    addEventListener(type: "progress", listen: (event: { readonly loaded: number }) => void): void;
  };
  addEventListener(type: "loadend", listen: () => void): void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: Blob): void;
  abort(): void;
}

/**
 * Sends a file: in a browser by XMLHttpRequest, because `fetch`, even the caller's, reports no upload progress there;
 * elsewhere by `fetch`.
 */
export const sendFile: SendFile = async (sending) => {
  const { connection, url, file, contentType, exchange, onBytes } = sending;
  if (typeof XMLHttpRequest !== "undefined") return await sendByXhr(new XMLHttpRequest(), sending);
  exchange.alive((file.size / SLOWEST_BYTES_PER_SECOND) * 1_000);
  const headers = new Headers(contentType === undefined ? {} : { "content-type": contentType });
  const body = connection.takesStreams ? file : new Uint8Array(await file.arrayBuffer());
  // Storage never redirects; Workers don't know "error".
  const init = { method: "PUT", headers, body, redirect: "manual", signal: exchange.signal } as const;
  const response = await connection.fetch(url, init);
  onBytes(file.size);
  return response;
};

const sendByXhr: (request: BrowserRequest, sending: Parameters<SendFile>[0]) => Promise<Response> = (
  request,
  { url, file, contentType, exchange, onBytes },
) =>
  new Promise((resolve, reject) => {
    request.open("PUT", url);
    if (contentType !== undefined) request.setRequestHeader("content-type", contentType);
    request.upload.addEventListener("progress", ({ loaded }) => {
      exchange.alive();
      onBytes(loaded);
    });
    request.addEventListener("loadend", () => {
      // A network error has no status, and a browser doesn't reveal its cause.
      if (request.status === 0) return reject(new TypeError("the file could not be sent"));
      const headers = new Headers();
      // The headers that the storage's CORS rule exposes, a line each.
      for (const [, name = "", value = ""] of request.getAllResponseHeaders().matchAll(/^(.+?): *(.*)$/gm))
        headers.set(name, value.trim());
      resolve(new Response(request.responseText, { status: request.status, headers }));
    });
    exchange.signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
