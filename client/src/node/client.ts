import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "../client.ts";
import { invalidInput } from "../errors.ts";
import { pieces } from "../http/read.ts";
import type { CallOptions, ClientOptions } from "../options.ts";
import type { Input, Source } from "../upload/input.ts";
import { type SendFile, sendFile } from "../upload/send-file.ts";
import { ImageResult, VideoResult } from "./results.ts";
import { writeWhole } from "./save.ts";

/** The client for platforms with a file system: a string that is not a URL is a path, and results can be saved. */
export class SegmentationClient extends Client<ImageResult, VideoResult> {
  /** @throws SegmentationError `invalid_input` without an address or a credential, in the options or the environment */
  constructor(options: ClientOptions = {}) {
    super(options, {
      images: (result) => new ImageResult(result),
      video: (result) => new VideoResult(result),
    });
  }

  /** Downloads a signed URL to a file, atomically. */
  async downloadTo(path: string, url: string, options: CallOptions = {}): Promise<void> {
    const write = (response: Response, alive: () => void) => writeWhole(path, pieces(response, alive));
    await this.connection.download(url, write, options);
  }

  protected override async open(input: Input): Promise<Source> {
    const path = pathOf(input);
    return path === undefined ? await super.open(input) : await openPath(path);
  }

  protected override get send(): SendFile {
    return streamFile;
  }
}

/** The path that an input names: any string except a web URL, or a `file:` URL; otherwise undefined. */
export function pathOf(input: Input): string | undefined {
  if (typeof input === "string") return /^(?:https?|data|blob):/.test(input) ? undefined : input;
  return input instanceof URL && input.protocol === "file:" ? fileURLToPath(input) : undefined;
}

/** Opens a file without reading it. @throws SegmentationError `invalid_input` if it cannot be read */
export async function openPath(path: string): Promise<Source> {
  try {
    return { from: await openAsBlob(path), name: basename(path) };
  } catch (cause) {
    throw invalidInput(`The file ${path} cannot be read. Check the path.`, { cause });
  }
}

/** Sends a file piece by piece, which reports its progress: Node and Bun send the Content-Length that storage requires. */
export const streamFile: SendFile = async (sending) => {
  const { connection, url, file, contentType, exchange, onBytes } = sending;
  // Deno sends a stream in chunks, without its length; and an empty file has no progress to report.
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
    headers: {
      ...(contentType !== undefined && { "content-type": contentType }),
      "content-length": String(file.size),
    },
    body: file.stream().pipeThrough(counter),
    duplex: "half",
    // If it could follow a redirect, Node would keep the whole body in memory (nodejs/undici#4058).
    redirect: "error",
    signal: exchange.signal,
  };
  return await connection.fetch(url, init);
};
