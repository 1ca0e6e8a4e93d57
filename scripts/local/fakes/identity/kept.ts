import { generateKeyPair, exportJWK } from "jose";
import { z } from "zod";
import { readIfPresent, writePrivateFile } from "../../../shared/state/private-file.ts";

const PrivateKey = z.looseObject({ kty: z.literal("RSA"), kid: z.string(), alg: z.literal("RS256") });

/** The values that must stay the same across restarts: otherwise no account would be found again, and no token accepted. */
export const Kept = z.object({ issuer: z.url(), port: z.int().min(1).max(65_535), signingKey: PrivateKey });
export type Kept = z.infer<typeof Kept>;

/** Reads the values of an earlier run; null if there was none. */
export async function readKept(file: string): Promise<Kept | null> {
  const text = await readIfPresent(file);
  return text === null ? null : Kept.parse(JSON.parse(text));
}

/** Creates issuer and signing key for the first run, at this URL, and writes them to a private file. */
export async function makeKept(file: string, issuer: string): Promise<Kept> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kept = Kept.parse({
    issuer,
    port: Number(new URL(issuer).port),
    signingKey: { ...jwk, kid: crypto.randomUUID(), alg: "RS256", use: "sig" },
  });
  await writePrivateFile(file, `${JSON.stringify(kept, null, 2)}\n`);
  return kept;
}
