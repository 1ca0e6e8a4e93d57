import { apiKeyDigest, isWellFormedApiKey } from "../core/api-key.ts";
import { newId } from "../core/ids.ts";
import { profileAfter, sameProfile, Subject } from "../core/identity.ts";
import type { Account } from "../stores/accounts.ts";
import type { Platform } from "../platform.ts";

/**
 * Three parts of base64url (RFC 7515, 7.1); an unsigned token's last is empty, and is none of ours. The signature's bits
 * beyond its last byte are zero (RFC 4648, 3.5): decoders let them pass, and a changed token would be as good as its own.
 */
const TOKEN_PATTERN = /^[\w-]+\.[\w-]+\.(?=.)(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/;

/**
 * The account that a credential lets in, or null. What can be neither an API key nor an access token costs no read.
 * @throws ServiceError identity_provider_unavailable.
 */
export async function authenticate(platform: Platform, credential: string): Promise<Account | null> {
  if (isWellFormedApiKey(credential)) {
    return platform.accounts.findByKeyDigest(await apiKeyDigest(credential));
  }
  return TOKEN_PATTERN.test(credential) ? signIn(platform, credential) : null;
}

/** The account of an access token, made at the first one. A token that says nothing new costs one read. */
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
