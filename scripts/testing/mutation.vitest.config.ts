import { defineConfig } from "vitest/config";

/** One seed for every mutant, so that a score can be repeated; SEED=… takes another. */
process.env["SEED"] ??= "1";

/** Only the tests of the pure core; Stryker runs them for each mutant that they reach. The excluded ones start other programs or take long. */
export default defineConfig({
  test: {
    include: [
      "test/unit/{accounts,archives,billing,gateway,jobs,models,segment,shared,uploads,webhooks}/**/*.test.ts",
    ],
    exclude: [
      "test/unit/accounts/key-set.test.ts",
      "test/unit/archives/archive-readers.test.ts",
      "test/unit/jobs/dispatch/**",
      "test/unit/webhooks/webhook-examples.test.ts",
    ],
    setupFiles: ["test/support/process/setup.ts", "scripts/testing/mutation.setup.ts"],
    testTimeout: 60_000,
  },
});
