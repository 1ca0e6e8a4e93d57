import { composeMask, type ComposedMask } from "./compose.ts";
import type { Composition } from "../rules/edit-history.ts";

// Composes the masks of edited objects off the main thread.

/** Request of the page. */
export interface ComposeRequest {
  readonly composition: Composition;
  readonly found: ReadonlyMap<string, Blob>;
}

/** Answer of the worker, in the order of the requests; null if a mask can't be read. */
export type ComposeAnswer = ComposedMask | null;

let last = Promise.resolve();

async function answer({ composition, found }: ComposeRequest): Promise<void> {
  const made: ComposeAnswer = await composeMask(composition, found).catch(() => null);
  postMessage(made);
}

addEventListener("message", ({ data }: MessageEvent<ComposeRequest>) => {
  last = last.then(async () => await answer(data));
});
