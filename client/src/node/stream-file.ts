import { sendFile, type SendFile } from "../upload/send-file.ts";

/** Sends a file piece by piece, which tells how far it is: Node and Bun send the Content-Length that storage requires. */
export const streamFile: SendFile = async (sending) => {
  const { connection, url, file, contentType, exchange, onBytes } = sending;
  // Deno sends a stream in chunks, without its length; and of an empty file there is nothing to tell.
  if ("Deno" in globalThis || file.size === 0) return await sendFile(sending);
  let sent = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      sent += piece.length;
      exchange.alive();
      onBytes(sent);
      controller.enqueue(piece);
    },
  });
  const init: RequestInit & { readonly duplex: "half" } = {
    method: "PUT",
    headers: { "content-type": contentType, "content-length": String(file.size) },
    body: file.stream().pipeThrough(counter),
    duplex: "half",
    // If it could follow a redirect, Node would keep the whole body in memory (nodejs/undici#4058).
    redirect: "error",
    signal: exchange.signal,
  };
  return await connection.fetch(url, init);
};
