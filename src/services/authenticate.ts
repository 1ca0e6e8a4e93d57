import { apiKeyDigest, isWellFormedApiKey } from "../core/api-key.ts";
import { newId } from "../core/ids.ts";
import { profileAfter, sameProfile, Subject } from "../core/identity.ts";
import type { Account } from "../stores/accounts.ts";
import type { Platform } from "../platform.ts";

/**
 * Three parts of base64url (RFC 7515, 7.1). An unsigned token's last part is empty, and we accept none. The signature's
 * bits beyond its last byte have to be zero (RFC 4648, 3.5): decoders ignore them, and a changed token would be valid.
 */
const TOKEN_PATTERN = /^[\w-]+\.[\w-]+\.(?=.)(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/;

/**
 * The account of a credential, or null. A text that can be neither an API key nor an access token costs no read.
 * @throws ServiceError identity_provider_unavailable.
 */
export async function authenticate(platform: Platform, credential: string): Promise<Account | null> {
  if (isWellFormedApiKey(credential)) {
    return platform.accounts.findByKeyDigest(await apiKeyDigest(credential));
  }
  return TOKEN_PATTERN.test(credential) ? signIn(platform, credential) : null;
}

/** The account of an access token; the first token creates it. A token without news costs one read. */
async function signIn(platform: Platform, token: string): Promise<Account | null> {
  const provider = platform.identityProvider;
  if (provider === null) return null;
  const claims = await provider.verify(token);
  const subject = Subject.safeParse(claims?.sub);
  if (!subject.success) return null;
  const identity = { issuer: provider.issuer, subject: subject.data };

  const known = await platform.accounts.findByIdentity(identity);
  if (known?.suspended) return null;
  const profile = profileAfter(claims, known?.profile);
  if (known !== null && sameProfile(known.profile, profile)) return known.account;
  const saved = await platform.accounts.saveIdentity(identity, profile, newId("acct"), Date.now());
  return saved.suspended ? null : saved.account;
}
