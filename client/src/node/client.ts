import { constants, openAsBlob } from "node:fs";
import { access, stat } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "../client.ts";
import { invalidInput, messageOf, SegmentationError } from "../errors.ts";
import { pieces } from "../http/read.ts";
import type { CallOptions, ClientOptions } from "../options.ts";
import { assertContent, type Input, type Source } from "../upload/input.ts";
import { type SendFile, sendFile } from "../upload/send-file.ts";
import { isUrl } from "../upload/shapes.ts";
import type { EmbedOptions } from "../segment.ts";
import { Embedding, ImageResult, VideoResult } from "./results.ts";
import { writeWhole } from "./save.ts";

/** The client for platforms with a file system. A string that is not a URL is a path, and results have `save`. */
export class SegmentationClient extends Client<ImageResult, VideoResult> {
  /** @throws SegmentationError `invalid_input` without an address or a credential, in the options or the environment */
  constructor(options: ClientOptions = {}) {
    super(options, {
      images: (result) => new ImageResult(result),
      video: (result) => new VideoResult(result),
    });
  }

  override async embed(input: Input, options: EmbedOptions = {}): Promise<Embedding> {
    const { taskId, bytes } = await super.embed(input, options);
    return new Embedding(taskId, bytes);
  }

  /** Downloads a signed URL to a file, atomically. */
  async downloadTo(path: string, url: string, options: CallOptions = {}): Promise<void> {
    const write = (response: Response, alive: () => void) => writeWhole(path, pieces(response, alive));
    await this.connection.download(url, write, options);
  }

  protected override async open(input: Input, signal?: AbortSignal): Promise<Source> {
    const path = pathOf(input);
    return path === undefined ? await super.open(input, signal) : await openPath(path);
  }

  protected override get send(): SendFile {
    return streamFile;
  }
}

/** The path that an input names: a string that is no URL, or a `file:` URL; otherwise undefined. */
function pathOf(input: Input): string | undefined {
  const text = typeof input === "string" ? input : isUrl(input) ? input.href : "";
  if (/^file:/i.test(text)) {
    try {
      return fileURLToPath(text);
    } catch (cause) {
      throw invalidInput(`${text} is not the URL of a file here. Give its path.`, { cause });
    }
  }
  const isPath =
    typeof input === "string" && text !== "" && !/^\s*(?:[a-z][a-z\d+.-]+:\/\/|data:|blob:)/i.test(text);
  return isPath ? text : undefined;
}

/** Opens a file without reading it. @throws SegmentationError `invalid_input` if it cannot be read, or is empty */
async function openPath(path: string): Promise<Source> {
  try {
    // Bun's `openAsBlob` accepts missing files, and Node's accepts folders.
    if ((await stat(path)).isFile()) {
      await access(path, constants.R_OK);
      const from = await openAsBlob(path);
      assertContent(from, path);
      return { from, name: basename(path) };
    }
  } catch (cause) {
    if (cause instanceof SegmentationError) throw cause;
    throw invalidInput(`The file ${path} cannot be read (${messageOf(cause)}). Check the path.`, { cause });
  }
  throw invalidInput(`${path} is not a file. Of a folder, give the files in it.`);
}

/** Sends a file piece by piece, which reports its progress: Node and Bun send the Content-Length that storage requires. */
const streamFile: SendFile = async (sending) => {
  const { connection, url, file, contentType, exchange, onBytes } = sending;
  // Deno sends a stream in chunks, without its length.
  if ("Deno" in globalThis || !connection.takesStreams) return await sendFile(sending);
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
