import { setTimeout as sleep } from "node:timers/promises";
import { type Child, type ChildOptions, startChild } from "./child.ts";

const LISTENING_PATIENCE_MS = 60_000;

/** The URL in a part's `listening` line; null for any other line. */
export function listeningUrl(line: string): string | null {
  if (!line.includes('"listening"')) return null;
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry !== "object" || entry === null || !("msg" in entry) || !("url" in entry)) return null;
    return entry.msg === "listening" && typeof entry.url === "string" ? entry.url : null;
  } catch {
    return null;
  }
}

/** Starts a part that chooses its port and prints its URL, and resolves with that URL. If it fails, it leaves nothing running. */
export async function startListeningChild(
  options: ChildOptions,
  signal: AbortSignal,
): Promise<{ child: Child; url: string }> {
  const announced = Promise.withResolvers<string>();
  const child = await startChild({
    ...options,
    onLine: (line) => {
      const url = listeningUrl(line);
      if (url !== null) announced.resolve(url);
      options.onLine?.(line);
    },
  });
  const timer = new AbortController();
  const url = await Promise.race([
    announced.promise,
    child.ended.then((why) => child.failure(`ended during its start (${why})`)),
    sleep(LISTENING_PATIENCE_MS, null, { signal: AbortSignal.any([timer.signal, signal]) })
      .then(() => child.failure("did not listen within a minute"))
      .catch(() => child.failure("was interrupted")),
  ]);
  timer.abort();
  if (typeof url === "string") return { child, url };
  await child.stop(0);
  signal.throwIfAborted();
  throw url;
}
