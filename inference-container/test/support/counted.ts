/** A value that is let go of as often as it was handed out, and tells when that goes wrong. */
export class Counted {
  readonly size: number;
  #uses = 1;

  /** Whoever makes it has it. */
  constructor(size: number) {
    this.size = size;
  }

  /** Nobody has it any more. */
  get gone(): boolean {
    return this.#uses === 0;
  }

  /** @throws Error where it is gone */
  share(): this {
    if (this.gone) throw new Error("A value that is gone was handed out.");
    this.#uses += 1;
    return this;
  }

  /** @throws Error where it is gone */
  drop(): void {
    if (this.gone) throw new Error("A value was let go of once too often.");
    this.#uses -= 1;
  }
}
