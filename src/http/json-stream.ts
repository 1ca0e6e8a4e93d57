import type { Context } from "hono";
import { log, reasonOf } from "../core/log.ts";
import type { AppEnv } from "./context.ts";

/** Small beside a Worker's memory, and large beside what a chunk costs. */
const CHUNK_CHARACTERS = 64 * 1_024;

/**
 * Answers with JSON that is made while it is sent: the next pieces are made when the client has taken the ones before. A
 * failure on the way ends the connection before the body's end, so that the part that was sent is never taken for a whole.
 */
export function respondWithJson(c: Context<AppEnv>, pieces: AsyncGenerator<string>): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          let text = "";
          while (text.length < CHUNK_CHARACTERS) {
            const piece = await pieces.next();
            if (piece.done === true) {
              controller.enqueue(encoder.encode(text));
              controller.close();
              return;
            }
            text += piece.value;
          }
          controller.enqueue(encoder.encode(text));
        } catch (error) {
          log("error", "answer_broken_off", { requestId: c.get("requestId"), reason: reasonOf(error) });
          throw error;
        }
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    // Nothing is made before it is asked for: never, for a HEAD request.
    { highWaterMark: 0 },
  );
  return c.body(body, 200, { "content-type": "application/json" });
}
