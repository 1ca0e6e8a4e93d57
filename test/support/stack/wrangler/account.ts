import { z } from "zod";

/** What a Cloudflare account has, as far as the deployment asks for it. */
export const StandInAccount = z.object({
  loggedIn: z.boolean(),
  /** The ids of the accounts that the login may use. */
  accounts: z.array(z.string()),
  databases: z.array(z.object({ uuid: z.string(), name: z.string() })),
  /** By its binding, the names of the migrations that a database has; absent if it never had one. */
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
  /** Whether the account's Worker is the project's, and not the empty one that stores secrets. */
  deployed: z.boolean(),
  /** The types of the bindings of the version that runs; null if none does. */
  running: z.array(z.string()).nullable(),
  /** Commands that Cloudflare refuses. */
  broken: z.array(z.string()),
  /** Commands whose effect Cloudflare has, but whose answer is lost. */
  lost: z.array(z.string()),
});
export type StandInAccount = z.infer<typeof StandInAccount>;
