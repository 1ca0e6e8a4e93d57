/** A value that must be let go of as often as it was handed out; it throws if that goes wrong. */
export class Counted {
  readonly size: number;
  #uses = 1;

  /** Its maker is its first owner. */
  constructor(size: number) {
    this.size = size;
  }

  /** Nobody owns it any more. */
  get gone(): boolean {
    return this.#uses === 0;
  }

  /** @throws Error if it is gone */
  share(): this {
    if (this.gone) throw new Error("A value that is gone was handed out.");
    this.#uses += 1;
    return this;
  }

  /** @throws Error if it is gone */
  drop(): void {
    if (this.gone) throw new Error("A value was let go of once too often.");
    this.#uses -= 1;
  }
}
