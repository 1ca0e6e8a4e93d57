import { availableParallelism } from "node:os";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** The Workers runtime, with the bindings of wrangler.toml; nothing leaves it, and no queue delivers within a test's time:
 * the tests deliver, in whatever order, as often as they like. */
const workersRuntime = cloudflareTest(async () => ({
  main: "./src/index.ts",
  wrangler: { configPath: "./wrangler.toml" },
  miniflare: {
    bindings: {
      MIGRATIONS: await readD1Migrations("migrations"),
      SEED: process.env["SEED"] ?? "",
      PUBLIC_URL: "https://api.test",
      S3_ENDPOINT: "https://s3.test",
      S3_ACCESS_KEY_ID: "test-access-key",
      S3_SECRET_ACCESS_KEY: "test-secret-key",
      SIGNING_SECRET: "a secret for the tests alone",
      INFERENCE_URL: "https://inference.test",
      INFERENCE_TOKEN: "an inference token for the tests",
      STRIPE_SECRET_KEY: "sk_test_for_the_tests_alone",
      STRIPE_WEBHOOK_SECRET: "whsec_for_the_tests_alone",
      STRIPE_PRICE_ID: "price_for_the_tests",
      STRIPE_API_URL: "https://stripe.test",
      OIDC_ISSUER: "https://identity.test",
      OIDC_AUDIENCE: "https://api.test",
      OIDC_JWKS_URL: "https://identity.test/jwks",
    },
    queueConsumers: Object.fromEntries(
      ["interactive", "bulk", "trial", "archive"].map((lane) => [
        `segmentation-${lane}`,
        { maxBatchSize: 100, maxBatchTimeout: 60 },
      ]),
    ),
    outboundService: (request: { url: string }) => {
      throw new Error(`a test reached for ${request.url}`);
    },
  },
}));

/** The seed of every random test in this run: one that failed is run again by `SEED=… npm test`. */
process.env["SEED"] ??= String(Date.now() % 2 ** 31);
console.log(`SEED=${process.env["SEED"]}`);

export default defineConfig({
  test: {
    silent: "passed-only",
    // A summary that is drawn anew all the time would not go with what is printed beside the tests.
    reporters: [["default", { summary: false }]],
    // Files wait for each other's start and end now and then: two cores carry two.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        // Vite would tell of each source map that a package names and does not ship: Stripe has hundreds.
        logLevel: "error",
        plugins: [workersRuntime],
        test: {
          name: "worker",
          include: [
            "test/operations/**/*.test.ts",
            "test/jobs/**/*.test.ts",
            "test/accounts/**/*.test.ts",
            "test/requests/**/*.test.ts",
          ],
          setupFiles: ["test/support/worker/setup.ts"],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          setupFiles: ["test/support/node/seed.ts"],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "inference",
          include: ["inference-container/test/**/*.test.ts"],
          setupFiles: ["test/support/node/seed.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          globalSetup: ["test/support/node/shared-stack-server.ts"],
        },
      },
      {
        test: {
          name: "long",
          include: ["test/long/**/*.test.ts"],
          exclude: ["test/long/worker/**"],
          setupFiles: ["test/support/node/seed.ts"],
          testTimeout: 3_600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
