import type { Owner } from "./owner.ts";

/** What is under way for a work, in its owner's name, and what ends it. */
export class Runner {
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #end = new AbortController();
  #search = new AbortController();
  /** Aborted when the owner signs out, or the work is given up. */
  readonly signal: AbortSignal;

  constructor(owner: Owner) {
    this.signal = AbortSignal.any([owner.signal, this.#end.signal]);
  }

  /** Does what is under way already only once; both get the same outcome. @param what names it */
  async once<T>(what: string, act: () => Promise<T>): Promise<T> {
    const known = this.#underWay.get(what);
    // The name stands for the type, too.
    const doing = (known as Promise<T> | undefined) ?? act().finally(() => this.#underWay.delete(what));
    this.#underWay.set(what, doing);
    return await doing;
  }

  /** Begins a search. Its signal is aborted if somebody gives up waiting until its job can be created. */
  beginSearch(): AbortSignal {
    this.#search = new AbortController();
    return AbortSignal.any([this.signal, this.#search.signal]);
  }

  stopWaiting(): void {
    this.#search.abort();
  }

  end(): void {
    this.#end.abort();
  }
}
