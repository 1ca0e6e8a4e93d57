import { readFile } from "node:fs/promises";
import { decodeJwt, importJWK, SignJWT } from "jose";
import { stateFolder } from "../../../scripts/shared/state/state-folder.ts";
import { Kept } from "../../../scripts/local/fakes/identity/kept.ts";

/** An access token of a stack's identity provider with another end (epoch seconds): the same claims, signed by the same key. */
export async function tokenUntil(stateDir: string, token: string, end: number): Promise<string> {
  const kept = Kept.parse(JSON.parse(await readFile(stateFolder(stateDir).identity, "utf8")));
  const { kid, alg } = kept.signingKey;
  return await new SignJWT(decodeJwt(token))
    .setProtectedHeader({ alg, kid, typ: "at+jwt" })
    .setExpirationTime(end)
    .sign(await importJWK(kept.signingKey, alg));
}
