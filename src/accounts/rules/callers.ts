import { RecentMap } from "../../shared/recent-map.ts";

/** The groups of an IPv6 address, and how many of them identify a network (RFC 6177: a site gets a /64 or more). */
const GROUPS = 8;
const NETWORK_GROUPS = 4;

const groupsOf = (text: string): string[] => text.split(":").filter((group) => group !== "");

/** Returns a URL's hostname, which is the normalized address: RFC 5952's form for IPv6, four decimal numbers for IPv4. */
const hostnameOf = (host: string): string | undefined => URL.parse(`http://${host}/`)?.hostname;

/**
 * Returns the owner of an address, for counting requests: the IPv4 address, or the /64 of an IPv6 address, because a client can
 * call from any of its network's 2^64 addresses. Null if the string is not an address.
 */
export function addressOwner(address: string): string | null {
  if (/^\d+(?:\.\d+){3}$/.test(address)) return hostnameOf(address) ?? null;
  if (!/^[\da-f:.]+$/i.test(address)) return null;
  const normalised = hostnameOf(`[${address}]`);
  if (normalised === undefined) return null;
  const given = normalised.slice(1, -1);
  const zeros = ":0".repeat(GROUPS - groupsOf(given).length);
  const groups = groupsOf(given.replace("::", `${zeros}:`));
  return `${groups.slice(0, NETWORK_GROUPS).join(":")}::/64`;
}

/** Ten thousand digests with their accounts take some 6 to 8 MB; the Worker's isolate has 128. */
const CAPACITY = 10_000;
/**
 * Counts from the last use. It only exempts a valid credential from the rate limit of unknown ones, and saves a database call.
 */
const ACCEPTED_MS = 10 * 60_000;
/** A credential may stay refused for this long after it has become valid, as when its account is reinstated. */
const REFUSED_MS = 10_000;

/**
 * This isolate's memory of credentials, by digest. It never decides access, only which rate limit applies, which database is
 * asked first, and what a preflight expects there.
 */
export interface SeenCredentials<Account> {
  /** By credential, the account that it was last accepted for, as read at that time. */
  readonly accepted: RecentMap<Account>;
  readonly refused: RecentMap<true>;
}

/** Starts without any credentials. */
export const newSeenCredentials = <Account>(): SeenCredentials<Account> => ({
  accepted: new RecentMap(CAPACITY, ACCEPTED_MS),
  refused: new RecentMap(CAPACITY, REFUSED_MS),
});
