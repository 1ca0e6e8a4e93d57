import { z } from "zod";
import { sha256Hex } from "./digest.ts";
import { signToken, verifyToken } from "./signed-token.ts";

/** The list that a page belongs to, by all that names it: a cursor is valid only for the list that gave it. */
export type ListName = readonly (string | null)[];

const Claims = z.object({ after: z.string(), of: z.string() });

const fingerprint = (list: ListName): Promise<string> => sha256Hex(JSON.stringify(list));

/** The opaque cursor of the page that begins after what has the id `after`. */
export async function encodeCursor(secret: string, list: ListName, after: string): Promise<string> {
  return signToken(secret, "cursor", { after, of: await fingerprint(list) });
}

/** The id after which the page begins; null if the cursor is forged or belongs to another list. */
export async function decodeCursor(secret: string, list: ListName, cursor: string): Promise<string | null> {
  const claims = Claims.safeParse(await verifyToken(secret, "cursor", cursor));
  return claims.success && claims.data.of === (await fingerprint(list)) ? claims.data.after : null;
}
