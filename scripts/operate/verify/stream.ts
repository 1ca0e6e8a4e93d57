import { Wrong } from "./row.ts";
import { request, type StreamEnd, type World } from "./world.ts";

/** Follows one stream of a job's events, without connecting again: the client library would, and hide that it was cut off. */
export async function watchStream(world: World, jobId: string, signal: AbortSignal): Promise<StreamEnd> {
  const response = await request(world, "GET", `/v1/jobs/${jobId}/events`, {
    headers: { accept: "text/event-stream" },
    signal,
  });
  if (!response.ok || response.body === null) throw new Wrong(`it is answered with ${response.status}`);
  const begun = Date.now();
  const decoder = new TextDecoder();
  let text = "";
  let heardAt = begun;
  let silentMs = 0;
  const hear = (): void => {
    silentMs = Math.max(silentMs, Date.now() - heardAt);
    heardAt = Date.now();
  };
  try {
    for await (const piece of response.body) {
      hear();
      // The name of the last event may be cut in two.
      text = text.slice(-20) + decoder.decode(piece, { stream: true });
      if (/^event: ?end$/m.test(text)) return { ended: true, livedMs: Date.now() - begun, silentMs };
    }
  } catch {
    signal.throwIfAborted();
  }
  hear();
  return { ended: false, livedMs: Date.now() - begun, silentMs };
}
