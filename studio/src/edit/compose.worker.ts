import { cook, type MadeMask } from "./compose.ts";
import type { Recipe } from "../workspace/rules/edit-history.ts";

// Makes the masks of edited objects, so that the page stays smooth meanwhile.

/** What the page asks for. */
export interface CookRequest {
  readonly recipe: Recipe;
  readonly found: ReadonlyMap<string, Blob>;
}

/** What the worker answers, in the order of the requests; null if a mask can't be read. */
export type CookAnswer = MadeMask | null;

let last = Promise.resolve();

async function answer({ recipe, found }: CookRequest): Promise<void> {
  const made: CookAnswer = await cook(recipe, found).catch(() => null);
  postMessage(made);
}

addEventListener("message", ({ data }: MessageEvent<CookRequest>) => {
  last = last.then(async () => await answer(data));
});
