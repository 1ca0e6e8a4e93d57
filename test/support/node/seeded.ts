import type fc from "fast-check";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
console.log(`SEED=${seed}`);

/** Parameters of a property, with this run's seed: printed, and set by `SEED=…` to run the same again. */
export const seeded = <Ts>(parameters: fc.Parameters<Ts>): fc.Parameters<Ts> => ({ seed, ...parameters });
