import { env } from "cloudflare:workers";
import fc from "fast-check";

/** Returns the number of draws of a random test: few in every run, many in the long one. */
export const amount = (of: { short: number; long: number }): number => of[env.FUZZ];

/** True in the long form, which has the slow tests, too. */
export const isLong = env.FUZZ === "long";

/** Draws up to `most` values from the run's seed, so that `SEED=…` repeats them. */
export class Draw {
  readonly #values: Iterator<number, undefined>;

  constructor(most = 100_000) {
    this.#values = fc.sample(fc.nat(), { numRuns: most, seed: Number(env.SEED) }).values();
  }

  /** A whole number from 0 to `most`. */
  upTo(most: number): number {
    const { value } = this.#values.next();
    if (value === undefined) throw new Error("more was drawn than there is");
    return value % (most + 1);
  }

  oneOf<Item>(items: readonly Item[]): Item {
    const item = items[this.upTo(items.length - 1)];
    if (item === undefined) throw new Error("there is none to draw");
    return item;
  }

  /** All of them in any order (Fisher and Yates). */
  shuffled<Item>(items: readonly Item[]): Item[] {
    const rest = [...items];
    return items.flatMap(() => rest.splice(this.upTo(rest.length - 1), 1));
  }
}
