import type { Context } from "hono";
import { log, reasonOf } from "../shared/log.ts";
import type { AppEnv } from "./context.ts";

/** Small compared with a Worker's memory, large compared with the cost of a chunk. */
const CHUNK_CHARACTERS = 64 * 1_024;

/**
 * Answers with JSON that is generated while it is sent: each piece once the client has taken the previous ones. A failure closes
 * the connection before the body's end, so that a client never takes a partial body for a complete one.
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
    // Generates nothing before it is read: for a HEAD request, never.
    { highWaterMark: 0 },
  );
  return c.body(body, 200, { "content-type": "application/json" });
}
