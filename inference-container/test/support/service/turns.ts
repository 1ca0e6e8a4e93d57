import type { Usage } from "../../../src/device/usage.ts";

/** Replaces a device of the runtime: one run has it at a time, in order of arrival. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** @param usage counts when its turn begins and ends */
  run<T>(usage: Usage | undefined, work: () => Promise<T>): Promise<T> {
    usage?.asked();
    const turn = this.#last.then(async () => {
      usage?.began();
      try {
        return await work();
      } finally {
        usage?.ended(1);
      }
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
