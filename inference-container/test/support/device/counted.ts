/** A value with an owner count; it throws if drops and shares don't match. */
export class Counted {
  readonly size: number;
  #uses = 1;

  /** Its maker is its first owner. */
  constructor(size: number) {
    this.size = size;
  }

  /** The value has no owner any more. */
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
