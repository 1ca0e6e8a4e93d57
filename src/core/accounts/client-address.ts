/** The groups of an IPv6 address, and how many of them name a network (RFC 6177: a site gets a /64 or more). */
const GROUPS = 8;
const NETWORK_GROUPS = 4;

const groupsOf = (text: string): string[] => text.split(":").filter((group) => group !== "");

/** The hostname of a URL normalises an address: RFC 5952's form of IPv6, four decimal numbers for IPv4. */
const hostnameOf = (host: string): string | undefined => URL.parse(`http://${host}/`)?.hostname;

/**
 * Who is at an address, for counting requests: an IPv4 address, or the /64 of an IPv6 address, because a client has all
 * 2^64 addresses of its network to call from. Null if the text is no address.
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
