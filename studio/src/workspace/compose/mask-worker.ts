import { sourceObjectsOf, type ComposedMask } from "./compose.ts";
import type { ComposeAnswer, ComposeRequest } from "./compose.worker.ts";
import type { Composition } from "../rules/edit-history.ts";

/** Web worker that composes masks. */
export class MaskWorker {
  readonly #worker = new Worker(new URL("./compose.worker.ts", import.meta.url), { type: "module" });
  readonly #waiting: ((made: ComposeAnswer) => void)[] = [];
  #isLost = false;

  constructor() {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<ComposeAnswer>) =>
      this.#waiting.shift()?.(data),
    );
    // The worker answers masks that it can't read: this error means that its script has not loaded.
    this.#worker.addEventListener("error", () => {
      this.#isLost = true;
      for (const answer of this.#waiting.splice(0)) answer(null);
    });
  }

  /** Composes a mask. @param found the file of an object's mask @throws Error with a sentence if that is not possible */
  async make(composition: Composition, found: (object: string) => Blob | undefined): Promise<ComposedMask> {
    const files = sourceObjectsOf(composition).flatMap((object) => {
      const file = found(object);
      return file === undefined ? [] : [[object, file] as const];
    });
    const made = await new Promise<ComposeAnswer>((resolve) => {
      if (this.#isLost) return resolve(null);
      this.#waiting.push(resolve);
      const request: ComposeRequest = { composition, found: new Map(files) };
      this.#worker.postMessage(request, []);
    });
    if (made === null) throw new Error("A mask can’t be read. Reload the page to fetch it again.");
    return made;
  }

  close(): void {
    this.#worker.terminate();
  }
}
