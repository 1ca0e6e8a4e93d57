import { z } from "zod";
import { sha256Hex } from "./digest.ts";
import { signToken, verifyToken } from "./signed-token.ts";

/** The list that a page belongs to: a cursor is valid only for the list that gave it. */
export interface ListFilters {
  accountId: string;
  jobId: string | null;
  processingMode: string | null;
  status: string | null;
}

const Claims = z.object({ after: z.string(), of: z.string() });

const fingerprint = ({ accountId, jobId, processingMode, status }: ListFilters): Promise<string> =>
  sha256Hex(JSON.stringify([accountId, jobId, processingMode, status]));

/** The opaque cursor of the page that begins after the job `after`. */
export async function encodeCursor(secret: string, filters: ListFilters, after: string): Promise<string> {
  return signToken(secret, "cursor", { after, of: await fingerprint(filters) });
}

/** The job id after which the page begins; null if the cursor is forged or belongs to another list. */
export async function decodeCursor(
  secret: string,
  filters: ListFilters,
  cursor: string,
): Promise<string | null> {
  const claims = Claims.safeParse(await verifyToken(secret, "cursor", cursor));
  return claims.success && claims.data.of === (await fingerprint(filters)) ? claims.data.after : null;
}
