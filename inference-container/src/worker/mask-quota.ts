import { type Problem, problemOf } from "@segmentation/protocol";

/** Which masks of a picture are kept: every prompt has the same share of what the task may have, and at least one. */
export class MaskQuota {
  readonly #inAll: number;
  readonly #ofEach: number;
  readonly #kept = new Map<number, number>();
  #total = 0;
  #isExceeded = false;

  /** @param inAll the most masks of the task */
  constructor(inAll: number, prompts: number) {
    this.#inAll = inAll;
    this.#ofEach = Math.max(1, Math.floor(inAll / prompts));
  }

  /** Whether the next mask of a prompt is kept. A prompt's masks come by descending confidence. */
  takes(promptIndex: number): boolean {
    const kept = this.#kept.get(promptIndex) ?? 0;
    if (kept >= this.#ofEach || this.#total >= this.#inAll) {
      this.#isExceeded = true;
      return false;
    }
    this.#kept.set(promptIndex, kept + 1);
    this.#total += 1;
    return true;
  }

  /** Says that masks were left out; null if none was. */
  get notice(): Problem | null {
    return this.#isExceeded ? problemOf("masks_limited", { limit: this.#ofEach }) : null;
  }
}
