import { checked } from "../http/check-options.ts";
import type { ApiRequest, Connection } from "../http/connection.ts";
import { Exchange } from "../http/exchange.ts";
import { parseJson, pieces } from "../http/read.ts";
import type { RequestOptions } from "../options.ts";
import type { ApiEvent } from "./types.ts";

/**
 * Gives the events of one answer until it ends, or until `timeoutMs` milliseconds of silence.
 * @throws SegmentationError
 */
export async function* followEvents<Data>(
  connection: Connection,
  request: ApiRequest,
  options: RequestOptions,
): AsyncGenerator<ApiEvent<Data>> {
  checked(options);
  const exchange = new Exchange(options.timeoutMs ?? connection.timeoutMs, options.signal);
  try {
    const headers = { accept: "text/event-stream", ...options.headers };
    const response = await connection.open(request, { ...options, headers }, exchange);
    const events = readEvents(response, exchange.alive);
    for (;;) {
      const { done, value } = await exchange.within(events.next());
      if (done) return;
      yield { ...value, data: parseJson(value.data, response) };
    }
  } finally {
    exchange.close();
  }
}

/** One event of a `text/event-stream`. */
interface StreamEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/**
 * Reads the events of a body (HTML standard, section "Server-sent events"); each piece shows that the stream is alive.
 */
async function* readEvents(response: Response, alive: () => void): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of pieces(response, alive)) {
    // Joins a line end that was cut in two.
    text = (text + decoder.decode(piece, { stream: true })).replaceAll(/\r\n|\r(?!$)/g, "\n");
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parse(block);
      if (event.data !== "") yield event;
    }
  }
}

/** A line is a field's name, a colon, at most one space, and the value; a line that begins with a colon is a comment. */
function parse(block: string): StreamEvent {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    const before = fields.get(name);
    fields.set(name, name === "data" && before !== undefined ? `${before}\n${value}` : value);
  }
  return { event: fields.get("event") ?? "message", data: fields.get("data") ?? "", id: fields.get("id") };
}
