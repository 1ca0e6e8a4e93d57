import { z } from "zod";

/** What a Cloudflare account has, as far as the deployment asks for it. */
export const StandInAccount = z.object({
  loggedIn: z.boolean(),
  databases: z.array(z.object({ uuid: z.string(), name: z.string() })),
  /** The names of the migrations that the database has; null if it never had one. */
  applied: z.array(z.string()).nullable(),
  queues: z.array(z.string()),
  /** `methods`: those that the CORS rule allows; null if there is none. `days`: null for a rule that deletes no objects. */
  buckets: z.record(
    z.string(),
    z.object({
      methods: z.array(z.string()).nullable(),
      lifecycle: z.array(z.object({ prefix: z.string(), enabled: z.boolean(), days: z.number().nullable() })),
    }),
  ),
  /** Null if the Worker was never deployed. */
  secrets: z.array(z.string()).nullable(),
  /** The types of the bindings of the version that runs; null if none does. */
  running: z.array(z.string()).nullable(),
  /** Commands that Cloudflare refuses. */
  broken: z.array(z.string()),
});
export type StandInAccount = z.infer<typeof StandInAccount>;
