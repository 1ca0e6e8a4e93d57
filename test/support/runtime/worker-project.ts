import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import type { TestProjectConfiguration } from "vitest/config";
import { machineHost } from "../worker/machines/machine-host.ts";
import { buildStudio } from "../../../scripts/generate/studio-build.ts";

const QUEUES = ["interactive", "bulk", "trial", "archive", "upkeep"];

const LARGE_PACKAGES = ["@modelcontextprotocol/server", "fast-check", "jose", "stripe", "zod"];

/** The databases in addition to DB: `DATABASES=3 npx vitest run --project worker` adds DB_2 and DB_3. */
const further = (databases: number): string[] =>
  Array.from({ length: databases - 1 }, (_, i) => `DB_${i + 2}`);

/** Receives the queues' messages and drops them. */
const sink = {
  name: "sink",
  modules: true,
  script: "export default { queue() {} };",
  compatibilityDate: "2026-08-01",
  queueConsumers: Object.fromEntries(
    QUEUES.map((queue) => [`sink-${queue}`, { maxBatchSize: 100, maxBatchTimeout: 60 }]),
  ),
};

/**
 * The Workers runtime, with the bindings of wrangler.toml. It is isolated, and its queues deliver nothing: the tests deliver
 * messages themselves, in any order and any number of times.
 */
const workersRuntime = (fuzz: "short" | "long", databases: number) =>
  cloudflareTest(async () => {
    // The settings of .env are for `wrangler dev` alone.
    process.env["CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV"] = "false";
    await buildStudio();
    return {
      main: "./test/support/worker/runtime/main.ts",
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        bindings: {
          MIGRATIONS: await readD1Migrations("migrations"),
          SEED: process.env["SEED"] ?? "",
          FUZZ: fuzz,
          RESEND_SECONDS: "30",
          PUBLIC_URL: "https://api.test",
          S3_ENDPOINT: "https://s3.test",
          S3_ACCESS_KEY_ID: "test-access-key",
          S3_SECRET_ACCESS_KEY: "test-secret-key",
          MASTER_SECRET: "a-secret-for-the-tests-alone-of-43-characters-",
          INFERENCE_URL: "https://inference.test",
          OPERATOR_TOKEN: "an-operator-token-for-the-tests-alone",
          INFERENCE_TOKEN: "an inference token for the tests",
          STRIPE_SECRET_KEY: "sk_test_for_the_tests_alone",
          STRIPE_WEBHOOK_SECRET: "whsec_for_the_tests_alone",
          STRIPE_PRICE_ID: "price_for_the_tests",
          STRIPE_API_URL: "https://stripe.test",
          OIDC_ISSUER: "https://identity.test",
          OIDC_AUDIENCE: "https://api.test",
          OIDC_JWKS_URL: "https://identity.test/jwks",
          STUDIO_CLIENT_ID: "the-studio",
        },
        durableObjects: { TESTED_CONTAINER: { className: "TestedContainer", useSQLite: true } },
        serviceBindings: { MACHINE_HOST: machineHost() },
        d1Databases: Object.fromEntries(further(databases).map((name) => [name, name])),
        queueProducers: Object.fromEntries(
          QUEUES.map((queue) => [`${queue.toUpperCase()}_QUEUE`, `sink-${queue}`]),
        ),
        workers: [sink],
        outboundService: (request: { url: string }) => {
          throw new Error(`a test reached for ${request.url}`);
        },
      },
    };
  });

/** A project's position in the run: a group begins once the previous one has ended. */
export interface GroupOrder {
  /** Number of processes in the group, if it differs from the others'. */
  readonly maxWorkers?: number;
  readonly sequence: { readonly groupOrder: number };
}

/**
 * A vitest project of tests on the Workers runtime.
 * @param fuzz the number of draws in random tests
 * @param order its position in the run
 * @param databases their number
 */
export const workerProject = (
  name: string,
  include: readonly string[],
  fuzz: "short" | "long",
  order: GroupOrder,
  databases = Number(process.env["DATABASES"] ?? 1),
): TestProjectConfiguration => ({
  // Vite would warn about each missing source map that a package names; Stripe has hundreds.
  logLevel: "error",
  plugins: [workersRuntime(fuzz, databases)],
  test: {
    name,
    include: [...include],
    ...order,
    setupFiles: ["test/support/worker/runtime/one-proxy-layer.ts", "test/support/worker/runtime/setup.ts"],
    hookTimeout: 60_000,
    testTimeout: fuzz === "long" ? 600_000 : 240_000,
    // Instead of one second, which any step may take on a busy machine.
    expect: { poll: { timeout: 150_000 } },
    // Starting a runtime and evaluating the Worker's modules takes longer than most files, so files share both.
    // The database, the bucket, the objects and every mock are reset after each test.
    isolate: false,
    // Each is bundled once: as hundreds of modules that each runtime fetches, they take a third of its start.
    deps: { optimizer: { ssr: { enabled: true, include: LARGE_PACKAGES } } },
  },
});
