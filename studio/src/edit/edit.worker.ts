import { cook, type MadeMask } from "./cook.ts";
import type { Recipe } from "./history.ts";

// Makes the masks of edited objects, so that the page stays smooth meanwhile.

/** What the page asks for. */
export interface CookRequest {
  readonly id: number;
  readonly recipe: Recipe;
  readonly found: ReadonlyMap<string, Blob>;
}

/** What the worker answers. */
export interface CookAnswer {
  readonly id: number;
  readonly made: MadeMask | null;
}

let last = Promise.resolve();

async function answer({ id, recipe, found }: CookRequest): Promise<void> {
  const made = await cook(recipe, found).catch(() => null);
  postMessage({ id, made } satisfies CookAnswer);
}

addEventListener("message", ({ data }: MessageEvent<CookRequest>) => {
  last = last.then(async () => await answer(data));
});
