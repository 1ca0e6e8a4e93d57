import { z } from "zod";

/** What an API client needs. `ready.json` in the state folder has it while the stack is up. */
export const StackAddress = z.object({
  baseUrl: z.url(),
  apiKey: z.string(),
  inferenceUrl: z.url(),
  /** The URLs of the stand-ins that run. */
  identityUrl: z.url().optional(),
  billingUrl: z.url().optional(),
});
export type StackAddress = Readonly<z.infer<typeof StackAddress>>;
