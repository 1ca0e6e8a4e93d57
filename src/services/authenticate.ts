import { apiKeyDigest, isWellFormedApiKey } from "../core/accounts/api-key.ts";
import { addressOwner } from "../core/accounts/callers.ts";
import { sha256Hex } from "../core/lib/digest.ts";
import { ServiceError, TRY_AGAIN } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import { profileAfter, sameProfile, Subject } from "../core/accounts/identity.ts";
import type { Account } from "../stores/accounts/accounts.ts";
import type { IdentityProvider } from "../stores/accounts/identity-provider.ts";
import { RATE_PERIOD_SECONDS } from "../stores/request-rate.ts";
import type { Platform } from "../platform.ts";
import { logSparsely } from "./log-sparsely.ts";

/**
 * Three parts of base64url (RFC 7515, 7.1). An unsigned token's last part is empty, and we accept none. The signature's
 * bits beyond its last byte have to be zero (RFC 4648, 3.5): decoders ignore them, and a changed token would be valid.
 */
const TOKEN_PATTERN = /^[\w-]+\.[\w-]+\.(?=.)(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/;

/** Finds the account that a credential lets in, or null. */
type LookUp = () => Promise<Account | null>;

/** How to look up a credential by its form; null for a text that can be neither an API key nor an access token. */
function lookUpOf({ accounts, identityProvider }: Platform, credential: string): LookUp | null {
  if (isWellFormedApiKey(credential))
    return async () => accounts.findByKeyDigest(await apiKeyDigest(credential));
  if (identityProvider === null || !TOKEN_PATTERN.test(credential)) return null;
  return () => signIn({ accounts, identityProvider }, credential);
}

/**
 * The account of a credential, within its rate of requests; null if the credential lets nobody in. Whatever a client can
 * make up is bounded before it costs a read or a signature check: a text without a credential's form, a credential refused
 * seconds ago, and per client address everything that this isolate has not accepted recently. The account is still read for
 * every request, so that a revoked key is refused at once.
 * @param address the client's; null if it is unknown, as without Cloudflare in front: then nothing is bounded by it
 * @throws ServiceError rate_limited, identity_provider_unavailable.
 */
export async function authenticate(
  platform: Platform,
  credential: string,
  address: string | null,
): Promise<Account | null> {
  const lookUp = lookUpOf(platform, credential);
  if (lookUp === null) return null;
  const digest = await sha256Hex(credential);
  const { accepted, refused } = platform.seenCredentials;
  if (refused.get(digest, Date.now()) !== undefined) return null;
  const known = accepted.get(digest, Date.now());
  await (known === undefined ? boundStranger(platform, address) : boundAccount(platform, known));

  const account = await lookUp();
  if (account === null) {
    accepted.delete(digest);
    refused.put(digest, true, Date.now());
    return null;
  }
  accepted.put(digest, account.accountId, Date.now());
  if (known === undefined) await boundAccount(platform, account.accountId);
  return account;
}

/** Refuses a client that exceeds a rate, and logs which: the request is refused before its account is read. */
function rateLimited(
  platform: Platform,
  who: { account: string } | { address: string },
  message?: string,
): ServiceError {
  logSparsely(platform, "warn", "rate_exceeded", who);
  return new ServiceError("rate_limited", message, { retryAfterSeconds: RATE_PERIOD_SECONDS });
}

/** Counts a request of an account, or as several if it costs as much as those. @throws ServiceError rate_limited. */
export async function boundAccount(platform: Platform, accountId: string, requests = 1): Promise<void> {
  for (let i = 0; i < requests; i += 1)
    if (!(await platform.requestRate.admits(accountId))) throw rateLimited(platform, { account: accountId });
}

/** Bounds how many unverified credentials one address may send. */
async function boundStranger(platform: Platform, address: string | null): Promise<void> {
  const owner = address === null ? null : addressOwner(address);
  if (owner === null || (await platform.addressRate.admits(owner))) return;
  throw rateLimited(
    platform,
    { address: owner },
    `Your network address has sent too many requests with different or invalid credentials. Check the credential. ${TRY_AGAIN}.`,
  );
}

/** The account of an access token; the first token creates it. A token that changes nothing costs one read. */
async function signIn(
  { accounts, identityProvider }: Pick<Platform, "accounts"> & { identityProvider: IdentityProvider },
  token: string,
): Promise<Account | null> {
  const claims = await identityProvider.verify(token);
  const subject = Subject.safeParse(claims?.sub);
  if (!subject.success) return null;
  const identity = { issuer: identityProvider.issuer, subject: subject.data };

  const known = await accounts.findByIdentity(identity);
  if (known?.suspended) return null;
  const profile = profileAfter(claims, known?.profile);
  if (known !== null && sameProfile(known.profile, profile)) return known.account;
  const saved = await accounts.saveIdentity(identity, profile, newId("acct"), Date.now());
  return saved.suspended ? null : saved.account;
}
