import { defineConfig } from "vitest/config";

/** One seed for every mutant, so that a score can be repeated; SEED=… takes another. */
process.env["SEED"] ??= "1";

/** Only the tests of the pure core; Stryker runs them for each mutant that they reach. */
export default defineConfig({
  test: {
    include: ["test/unit/core/**/*.test.ts"],
    setupFiles: ["test/support/node/setup.ts", "scripts/testing/mutation.setup.ts"],
    testTimeout: 60_000,
  },
});
