import { z } from "zod";

/** A Cloudflare account, with the parts that the deployment queries. */
export const FakeAccount = z.object({
  loggedIn: z.boolean(),
  /** The ids of the accounts that the login may use. */
  accounts: z.array(z.string()),
  databases: z.array(z.object({ uuid: z.string(), name: z.string() })),
  /** The names of a database's applied migrations, by its binding; absent if it never had one. */
  applied: z.record(z.string(), z.array(z.string())),
  queues: z.array(z.string()),
  /** `methods`: those that the CORS rule allows; null if there is none. `days`: null for a rule that deletes no objects. */
  buckets: z.record(
    z.string(),
    z.object({
      methods: z.array(z.string()).nullable(),
      lifecycle: z.array(z.object({ prefix: z.string(), enabled: z.boolean(), days: z.number().nullable() })),
      events: z.array(z.object({ queue: z.string(), prefix: z.string(), types: z.string() })),
    }),
  ),
  /** Null if the Worker was never deployed. */
  secrets: z.array(z.string()).nullable(),
  /** The values of the secrets that Wrangler was given. */
  stored: z.record(z.string(), z.string()),
  /** True if the account's Worker is the project's; false for the empty Worker that stores secrets. */
  deployed: z.boolean(),
  /** The types of the bindings of the active version; null if there is none. */
  running: z.array(z.string()).nullable(),
  /** The tokens of the account that its API made; null if it may make none. */
  tokens: z
    .array(z.object({ id: z.string(), name: z.string(), value: z.string(), policies: z.array(z.unknown()) }))
    .nullable(),
  /** Commands that Cloudflare refuses. */
  broken: z.array(z.string()),
  /** Commands whose effect Cloudflare has, but whose answer is lost. */
  lost: z.array(z.string()),
});
export type FakeAccount = z.infer<typeof FakeAccount>;
