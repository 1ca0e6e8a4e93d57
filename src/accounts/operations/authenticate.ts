import { apiKeyDigest, isWellFormedApiKey } from "../rules/api-key.ts";
import { isWellFormedShareToken, MOST_LINK_REQUESTS_PER_DAY } from "../rules/share-token.ts";
import { addressOwner } from "../rules/callers.ts";
import { secondsToNextDay } from "../../billing/rules/usage.ts";
import { sha256Hex } from "../../shared/digest.ts";
import { ServiceError, TRY_AGAIN } from "../../shared/errors.ts";
import { isJobId, newId } from "../../shared/ids.ts";
import { log } from "../../shared/log.ts";
import { identityEntry, profileAfter, sameProfile, Subject, type Profile } from "../rules/identity.ts";
import type { Account } from "../store/accounts.ts";
import type { Preflight } from "../../shared/storage/preflight.ts";
import type { Batching } from "../../shared/storage/d1-store.ts";
import type { Place } from "../store/directory.ts";
import type { IdentityProvider } from "../store/identity-provider.ts";
import { RATE_PERIOD_SECONDS } from "../../shared/api/request-rate.ts";
import type { Platform } from "../../platform.ts";
import { askEach, needing, RETRY_SECONDS } from "../../shared/storage/database-failure.ts";
import { logSparsely } from "../../shared/api/log-sparsely.ts";

/**
 * Three parts of base64url (RFC 7515, 7.1). An unsigned token's last part is empty, and we accept none. The signature's
 * bits beyond its last byte have to be zero (RFC 4648, 3.5): decoders ignore them, and a changed token would be valid.
 */
const TOKEN_PATTERN = /^[\w-]+\.[\w-]+\.(?=.)(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/;

/** A credential with a valid form and signature. */
interface Bearer {
  /** Its digest in the directory. */
  readonly entry: string;
  /** Finds its account in this platform's database; null if the account is not there. */
  readonly find: (books: Platform) => Promise<Account | null | "suspended">;
  /** The preflight that admits only this account, which the credential had at its last use; absent for a share's token. */
  readonly preflight?: (books: Platform, account: Account) => Preflight;
  /** Creates the missing account in one of the databases that answer; absent if the credential creates none. */
  readonly create?: (answering: readonly string[]) => Promise<Account | null>;
}

/** Verifies a credential; null if it can never be valid. */
type Verify = () => Promise<Bearer | null>;

/**
 * Chooses the verification by the credential's form. Returns null for a string that is neither an API key nor an access token. A
 * share's token counts only where its link is valid.
 */
function verifierOf(platform: Platform, credential: string, shownJob: string | undefined): Verify | null {
  const { identityProvider } = platform;
  if (isWellFormedShareToken(credential))
    return shownJob === undefined || !isJobId(shownJob) ? null : () => shareBearer(credential, shownJob);
  if (isWellFormedApiKey(credential)) {
    return async () => {
      const digest = await apiKeyDigest(credential);
      return {
        entry: digest,
        find: ({ accounts }) => accounts.findByKeyDigest(digest),
        preflight: ({ accounts }, account) => accounts.preflightByKey(digest, account),
      };
    };
  }
  if (identityProvider === null || !TOKEN_PATTERN.test(credential)) return null;
  return () => verifyToken(platform, identityProvider, credential);
}

/** Returns the bearer of a share's token, which gives access to one job. Its `find` throws ServiceError rate_limited. */
async function shareBearer(token: string, shownJob: string): Promise<Bearer> {
  const digest = await sha256Hex(token);
  return {
    entry: digest,
    find: async ({ accounts }) => {
      const now = Date.now();
      const found = await accounts.findByShareDigest(digest, shownJob, now, MOST_LINK_REQUESTS_PER_DAY);
      if (found === null || found.reads <= MOST_LINK_REQUESTS_PER_DAY) return found?.account ?? null;
      const message = `This link has been used too often today; its day ends at 00:00 UTC. ${TRY_AGAIN}.`;
      throw new ServiceError("rate_limited", message, { retryAfterSeconds: secondsToNextDay(now) });
    },
  };
}

const isMoving = (found: Account | null | "suspended"): boolean =>
  found !== null && found !== "suspended" && found.isMoving;

/**
 * Finds the account of a credential where it was seen last, or where the directory says. A single database needs no directory.
 * @throws ServiceError account_moving, database_unavailable.
 */
async function find(platform: Platform, bearer: Bearer, seenIn: string | undefined): Promise<Account | null> {
  const isOne = platform.databases.length === 1;
  const { database: directory } = platform;
  const findIn = (database: string) => needing(platform, database, () => bearer.find(platform.at(database)));
  const lookUp = () => needing(platform, directory, () => platform.directory.find(bearer.entry));
  const first = isOne ? directory : (seenIn ?? (await lookUp()));
  let found = await findIn(first);
  // It may have been moved since it was seen there.
  if (!isOne && seenIn !== undefined && (found === null || isMoving(found))) {
    const database = await lookUp();
    if (database !== first) found = await findIn(database);
  }
  let answering: readonly string[] = [first];
  if (found === null && bearer.create !== undefined && !isOne)
    ({ found, answering } = await findUnentered(platform, bearer, first));
  if (isMoving(found))
    throw new ServiceError("account_moving", undefined, { retryAfterSeconds: RETRY_SECONDS });
  if (found === null && bearer.create !== undefined) return bearer.create(answering);
  return found === "suspended" ? null : found;
}

/**
 * Finds the account of a credential that would create one, if the directory has lost it: it may be in any database but `asked`.
 * Enters it in the directory again. A failing database delays a new account by up to PATIENCE_MS: a second account for a known
 * person would be worse.
 * @returns the account, and which databases answered
 */
async function findUnentered(
  platform: Platform,
  bearer: Bearer,
  asked: string,
): Promise<{ found: Account | null | "suspended"; answering: readonly string[] }> {
  const { databases, at, directory } = platform;
  const others = databases.filter((database) => database !== asked);
  const { answers } = await askEach(platform, others, bearer.find);
  const answering = [asked, ...answers.map(({ books }) => books.database)];
  const found = answers.find(({ answer }) => answer !== null)?.answer ?? null;
  if (found === null || found === "suspended" || found.isMoving) return { found, answering };
  const { accountId, database } = found;
  await directory.move(accountId, database, await entriesOf(at(database), accountId));
  log("warn", "directory_lacked_account", { account: accountId, database });
  return { found, answering };
}

/** Returns the digests of all of an account's credentials: its entries in the directory. */
export async function entriesOf({ accounts }: Platform, accountId: string): Promise<string[]> {
  const { keys, identity } = await accounts.credentials(accountId);
  return identity === null ? keys : [...keys, await identityEntry(identity)];
}

/** The sender of a request, whose credential has passed the checks of form, signature and rates. */
export interface Caller {
  /**
   * Reads the account, within its rate of requests; null if no active account has the credential.
   * @throws ServiceError rate_limited, and as find.
   */
  readonly read: () => Promise<Account | null>;
  /** The account as this isolate last read it, and its preflight; null if it has not read it recently. */
  readonly recalled: { readonly account: Account; readonly preflight: Preflight } | null;
  /** The digest of the share's token, if the request came by a link; absent for an account's credentials. */
  readonly linkDigest?: string;
}

/**
 * Runs `act` for a caller and reads the account in the same database call: `act` sends its first batch through the preflight, and
 * must have no effect before that. If the account has changed since this isolate last read it, or `act` ends before its first
 * batch, reads the account and runs `act` again.
 * @throws ServiceError Unauthorized, and as `read` and `act`.
 */
export async function enter<T>(
  platform: Platform,
  { read, recalled }: Caller,
  act: (account: Account, preflight: Batching) => Promise<T>,
): Promise<T> {
  if (recalled !== null) {
    const { account, preflight } = recalled;
    const served = await act(account, preflight).then(
      (answer) => ({ answer }),
      (error: unknown) => {
        if (preflight.state === "passed" || preflight.state === "failed") throw error;
        return null;
      },
    );
    if (served !== null && preflight.state !== "passed")
      throw new Error("a request was served past the preflight");
    if (served !== null) return served.answer;
  }
  const account = await read();
  if (account === null) throw new ServiceError("Unauthorized");
  return act(account, platform.at(account.database).accounts.open);
}

/**
 * Returns the caller of a request, or null if the credential is invalid. Every credential that this isolate has not accepted
 * recently counts against the client's address. A string without a credential's form, and a credential refused seconds ago, cost
 * no read and no signature check. Every request still reads the account, alone or in a preflight: a revoked key is refused at
 * once.
 * @param credential null for an `Authorization` header that has none
 * @param address the client's; null if it is unknown, as without Cloudflare in front: then nothing is bounded by it
 * @param shownJob the job that the request is about, if a share's token may let it in; without it, such a token is invalid
 * @throws ServiceError rate_limited, identity_provider_unavailable.
 */
export async function callerOf(
  platform: Platform,
  credential: string | null,
  address: string | null,
  shownJob?: string,
): Promise<Caller | null> {
  const verify = credential === null ? null : verifierOf(platform, credential, shownJob);
  if (credential === null || verify === null) {
    await boundStranger(platform, address);
    return null;
  }
  const isLink = isWellFormedShareToken(credential);
  // A link is valid for one job: its refusal for another job does not block it.
  const digest = await sha256Hex(isLink ? `${credential} ${shownJob}` : credential);
  const linkDigest = isLink ? await sha256Hex(credential) : undefined;
  const { accepted, refused } = platform.seenCredentials;
  const known = accepted.get(digest, Date.now());
  await (known === undefined
    ? boundStranger(platform, address)
    : boundAccount(platform, known.accountId, 1, linkDigest));
  if (refused.get(digest, Date.now()) !== undefined) return null;

  const refuse = (): null => {
    accepted.delete(digest);
    refused.put(digest, true, Date.now());
    return null;
  };
  const bearer = await verify();
  if (bearer === null) return refuse();
  // Each use extends how long it is remembered.
  if (known !== undefined) accepted.put(digest, known, Date.now());
  return {
    read: async () => {
      const account = await find(platform, bearer, known?.database);
      if (account === null) return refuse();
      accepted.put(digest, account, Date.now());
      if (known === undefined) await boundAccount(platform, account.accountId, 1, linkDigest);
      return account;
    },
    recalled:
      known === undefined || bearer.preflight === undefined
        ? null
        : { account: known, preflight: bearer.preflight(platform.at(known.database), known) },
    ...(linkDigest !== undefined && { linkDigest }),
  };
}

/** Logs and refuses a client that exceeds a rate, before its account is read. */
function rateLimited(
  platform: Platform,
  who: { account: string } | { address: string },
  message?: string,
): ServiceError {
  logSparsely(platform, "rate_exceeded", who);
  return new ServiceError("rate_limited", message, { retryAfterSeconds: RATE_PERIOD_SECONDS });
}

/**
 * Counts a request of an account, or several if it costs as much as several.
 * @param linkDigest the link to count in place of the account: link users do not use up the owner's rate
 * @throws ServiceError rate_limited.
 */
export async function boundAccount(
  platform: Platform,
  accountId: string,
  requests = 1,
  linkDigest?: string,
): Promise<void> {
  const isLink = linkDigest !== undefined;
  const counted = isLink ? `link ${linkDigest}` : accountId;
  const message = isLink ? `This link has been used too often. ${TRY_AGAIN}.` : undefined;
  for (let i = 0; i < requests; i += 1)
    if (!(await platform.requestRate.admits(counted)))
      throw rateLimited(platform, { account: accountId }, message);
}

/** Limits how many unverified credentials one address may send. */
export async function boundStranger(platform: Platform, address: string | null): Promise<void> {
  const owner = address === null ? null : addressOwner(address);
  if (owner === null || (await platform.addressRate.admits(owner))) return;
  throw rateLimited(
    platform,
    { address: owner },
    `Your network address has sent too many requests with different or invalid credentials. Check the credential. ${TRY_AGAIN}.`,
  );
}

/** Verifies an access token and creates the account of a new identity. A token that changes nothing costs one read. */
async function verifyToken(
  platform: Platform,
  identityProvider: IdentityProvider,
  token: string,
): Promise<Bearer | null> {
  const claims = await identityProvider.verify(token);
  const subject = Subject.safeParse(claims?.sub);
  if (!subject.success) return null;
  const identity = { issuer: identityProvider.issuer, subject: subject.data };
  const entry = await identityEntry(identity);

  const save = async ({ accounts }: Platform, profile: Profile, accountId: string) => {
    const saved = await accounts.saveIdentity(identity, profile, accountId, Date.now());
    return saved.suspended ? "suspended" : saved.account;
  };
  return {
    entry,
    preflight: ({ accounts }, account) => accounts.preflightByIdentity(identity, account),
    find: async (books) => {
      const known = await books.accounts.findByIdentity(identity);
      if (known === null) return null;
      if (known.suspended) return "suspended";
      if (known.account.isMoving) return known.account;
      const profile = profileAfter(claims, known.profile);
      if (sameProfile(known.profile, profile)) return known.account;
      return save(books, profile, newId("acct"));
    },
    create: async (answering) => {
      const { accountId, database } = await placeOfNew(platform, entry, answering);
      const profile = profileAfter(claims);
      const created = await needing(platform, database, () =>
        save(platform.at(database), profile, accountId),
      );
      return created === "suspended" ? null : created;
    },
  };
}

/** Chooses the database for the account of a new identity. @throws ServiceError database_unavailable. */
async function placeOfNew(platform: Platform, entry: string, answering: readonly string[]): Promise<Place> {
  const { databases, database, directory } = platform;
  const accountId = newId("acct");
  if (databases.length === 1) return { accountId, database };
  return needing(platform, database, () => directory.enterNew(entry, accountId, databases, answering));
}
