import { computed, signal } from "@preact/signals";

/** A failure that another try does not change. */
export class LastingError extends Error {}

/** Failures since the last success after which nothing more is tried until the page is reloaded. */
export const MOST_FAILURES = 5;

/** Something that is loaded at its first use. After a failure it is closed, and the next use loads another. */
export class Replaceable<Owner, T extends { close(): void }> {
  readonly #load: (owner: Owner) => Promise<T>;
  readonly #failures = signal(0);
  #current: { readonly owner: Owner; readonly loaded: Promise<T> } | null = null;

  constructor(load: (owner: Owner) => Promise<T>) {
    this.#load = load;
  }

  /** True once another try is useless: a failure lasts, or too many have come in a row. */
  readonly isGivenUp = computed(() => this.#failures.value >= MOST_FAILURES);

  /** Uses it for an owner. @throws Error what its loading or its use throws */
  async use<R>(owner: Owner, act: (loaded: T) => Promise<R>): Promise<R> {
    if (this.isGivenUp.peek()) throw new LastingError("It has failed before, and is not tried again.");
    if (this.#current?.owner !== owner) this.#current = { owner, loaded: this.#load(owner) };
    const current = this.#current;
    try {
      return await act(await current.loaded);
    } catch (error) {
      // Several may have used what failed.
      if (this.#current === current) {
        this.#current = null;
        this.#failures.value = error instanceof LastingError ? MOST_FAILURES : this.#failures.value + 1;
        current.loaded.then((loaded) => loaded.close()).catch(() => {});
      }
      throw error;
    }
  }

  /** Notes that it does what it is for: earlier failures no longer count. */
  noteSuccess(): void {
    if (!this.isGivenUp.peek()) this.#failures.value = 0;
  }
}
