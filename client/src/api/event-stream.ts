import { pieces } from "../http/read.ts";

/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Reads the events of a body (HTML standard, section "Server-sent events"); each piece says that the stream is alive. */
export async function* readEvents(response: Response, alive: () => void): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of pieces(response, alive)) {
    // A line end that is cut in two is put together before it is read.
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
