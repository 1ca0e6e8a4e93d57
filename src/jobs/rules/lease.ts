import { z } from "zod";
import type { Secrets } from "../../shared/keys.ts";
import { signToken, verifyToken } from "../../shared/signed-token.ts";

/** The holder of one lease of one task. `lease` is the fencing token, which grows with every claim in a job. */
export const LeaseClaims = z.object({ job: z.string(), task: z.string(), lease: z.int().positive() });
export type LeaseClaims = z.infer<typeof LeaseClaims>;

/** The bearer token for the callbacks of a lease's holder; invalid from `expiresAt` (epoch ms) on. */
export async function issueLeaseToken(
  secrets: Secrets,
  claims: LeaseClaims,
  expiresAt: number,
): Promise<string> {
  return signToken(secrets, "lease", { ...claims }, expiresAt);
}

/** Returns the lease that a bearer token was signed for, or null. Only the JobObject knows if the lease is in force. */
export async function readLeaseToken(secrets: Secrets, token: string): Promise<LeaseClaims | null> {
  const claims = LeaseClaims.safeParse(await verifyToken(secrets, "lease", token));
  return claims.success ? claims.data : null;
}

/** The inference service's name for one lease of one task. To that service, another lease is another task. */
export const taskKey = (jobId: string, taskId: string, lease: number): string =>
  `${jobId}.${taskId}.${lease}`;

/** Returns the lease that a task key names; null for another string. */
export function leaseOfKey(key: string): LeaseClaims | null {
  // A task's id has a dot.
  const [, job, task, lease] = /^([^.]+)\.(.+)\.(\d+)$/.exec(key) ?? [];
  return LeaseClaims.safeParse({ job, task, lease: Number(lease) }).data ?? null;
}
