import { generateKeyPair, exportJWK } from "jose";
import { z } from "zod";
import { readIfPresent, writePrivateFile } from "../../stack/private-file.ts";

const PrivateKey = z.looseObject({ kty: z.literal("RSA"), kid: z.string(), alg: z.literal("RS256") });

/** What has to be the same after a restart: else nobody's account would be found again, and no token be taken. */
export const Kept = z.object({ issuer: z.url(), port: z.int().min(1).max(65_535), signingKey: PrivateKey });
export type Kept = z.infer<typeof Kept>;

/** Reads what an earlier run kept, or null. */
export async function readKept(file: string): Promise<Kept | null> {
  const text = await readIfPresent(file);
  return text === null ? null : Kept.parse(JSON.parse(text));
}

/** Makes what the first run at this port keeps, and writes it to a private file. */
export async function makeKept(file: string, port: number): Promise<Kept> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kept = Kept.parse({
    issuer: `http://127.0.0.1:${port}`,
    port,
    signingKey: { ...jwk, kid: crypto.randomUUID(), alg: "RS256", use: "sig" },
  });
  await writePrivateFile(file, `${JSON.stringify(kept, null, 2)}\n`);
  return kept;
}
