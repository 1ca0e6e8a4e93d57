import { defineConfig } from "vitest/config";

/** One seed for every mutant, so that a score can be had again; SEED=… tries another. */
process.env["SEED"] ??= "1";

/** The tests of the pure core alone, as Stryker runs them: once for each mutant that they reach. */
export default defineConfig({
  test: {
    include: ["test/unit/core/**/*.test.ts"],
    setupFiles: ["test/support/node/seed.ts", "scripts/testing/mutation.setup.ts"],
    testTimeout: 60_000,
  },
});
