import { ingredientsOf, type MadeMask } from "./compose.ts";
import type { CookAnswer, CookRequest } from "./compose.worker.ts";
import type { Recipe } from "../workspace/rules/edit-history.ts";

/** Masks by recipe: a worker makes each once. */
export class Kitchen {
  readonly #worker = new Worker(new URL("./compose.worker.ts", import.meta.url), { type: "module" });
  readonly #waiting: ((made: CookAnswer) => void)[] = [];

  constructor() {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<CookAnswer>) =>
      this.#waiting.shift()?.(data),
    );
  }

  /** Makes a mask. @param found the file of an object's mask @throws Error with a sentence if that is not possible */
  async make(recipe: Recipe, found: (object: string) => Blob | undefined): Promise<MadeMask> {
    const files = ingredientsOf(recipe).flatMap((object) => {
      const file = found(object);
      return file === undefined ? [] : [[object, file] as const];
    });
    const made = await new Promise<CookAnswer>((resolve) => {
      this.#waiting.push(resolve);
      const request: CookRequest = { recipe, found: new Map(files) };
      this.#worker.postMessage(request, []);
    });
    if (made === null) throw new Error("A mask can’t be read. Reload the page to fetch it again.");
    return made;
  }

  close(): void {
    this.#worker.terminate();
  }
}
