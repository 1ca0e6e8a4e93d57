import type { ApiRequest, Connection } from "../http/connection.ts";
import { Exchange } from "../http/exchange.ts";
import { parseJson } from "../http/read.ts";
import type { RequestOptions } from "../options.ts";
import { readEvents } from "./event-stream.ts";
import type { ApiEvent } from "./types.ts";

/** Gives the events of one answer until it ends, or nothing was heard for `timeoutMs`. @throws SegmentationError */
export async function* followEvents<Data>(
  connection: Connection,
  request: ApiRequest,
  options: RequestOptions,
): AsyncGenerator<ApiEvent<Data>> {
  const exchange = new Exchange(options.timeoutMs ?? connection.timeoutMs, options.signal);
  try {
    const headers = { accept: "text/event-stream", ...options.headers };
    const response = await connection.open(request, { ...options, headers }, exchange);
    const events = readEvents(response, exchange.alive);
    for (;;) {
      const { done, value } = await exchange.within(events.next());
      if (done === true) return;
      yield { ...value, data: parseJson(value.data, response) };
    }
  } finally {
    exchange.close();
  }
}
