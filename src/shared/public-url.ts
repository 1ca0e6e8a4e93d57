import ipaddr from "ipaddr.js";
import { MOST_URL_CHARACTERS } from "./api/primitives.ts";
import { ServiceError } from "./errors.ts";

/** The terms of the rule for URLs from clients. */
export interface PublicUrlTerms {
  /** The service's own base URL: it must not send requests to itself. */
  readonly ownUrl: string;
  /** True if `http://127.0.0.1` is allowed, too: only for local development. */
  readonly allowsLocal: boolean;
}

/** Names that the public DNS never has: RFC 6761, 6.3; RFC 6762, 3; RFC 8375; ICANN's resolution of 29 July 2024 on `.internal`. */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;
/** RFC 4291, 2.4 and IANA's registry: all unicast addresses routed on the Internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** A URL's host without the final dot of a fully qualified name. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, "");

/**
 * Returns true if an address is publicly reachable. Returns false for an address that embeds an IPv4 address, which could be
 * private.
 */
function isPublicAddress(text: string): boolean {
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

/** Returns true if a host, as normalized by the URL standard, can be another machine on the Internet. */
function isPublicHost(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  if (ipaddr.isValid(address)) return isPublicAddress(address);
  const labels = host.split(".");
  return labels.length > 1 && !labels.includes("") && !LOCAL_NAME.test(host);
}

const isOnThisMachine = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && hostname === "127.0.0.1";

/** Returns why the service does not send requests to a client's URL, and the remedy; null if it does. */
function complaintOf(text: string, { ownUrl, allowsLocal }: PublicUrlTerms): string | null {
  if (text.length > MOST_URL_CHARACTERS) return `The URL is longer than ${MOST_URL_CHARACTERS} characters.`;
  const url = URL.parse(text);
  if (url === null) return "The URL cannot be read. Send an absolute one that begins with https://.";
  if (url.username !== "" || url.password !== "") {
    return "The URL contains a user name or a password. Remove them.";
  }
  const own = new URL(ownUrl);
  const toOwnHost = "The URL points to this service itself. Send a URL on another host.";
  if (allowsLocal && isOnThisMachine(url)) return url.host === own.host ? toOwnHost : null;
  if (url.protocol !== "https:") return "The URL must start with https://.";
  if (!isPublicHost(hostOf(url))) {
    return `The URL's host ${JSON.stringify(url.hostname)} is not on the public Internet. Send a URL whose host is publicly reachable.`;
  }
  return hostOf(url) === hostOf(own) ? toOwnHost : null;
}

/**
 * Refuses a URL from a client or a redirect if the service must not send a request there: url_forbidden, with the remedy. Does
 * not check the addresses of a public name, which a Worker cannot resolve. A deployed Worker reaches hosts through the Internet,
 * even those of the operator's domain, by the flag `global_fetch_strictly_public` in wrangler.toml.
 */
export function publicUrlRefusal(text: string, terms: PublicUrlTerms): ServiceError | null {
  const complaint = complaintOf(text, terms);
  return complaint === null ? null : new ServiceError("url_forbidden", complaint);
}

/**
 * Names and addresses of the local machine: RFC 6761, 6.3 (localhost), RFC 1122, 3.2.1.3 (127/8 and 0), RFC 4291, 2.5.2 and
 * 2.5.3.
 */
const LOOPBACK =
  /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[\da-f]{2}:[\da-f]+|0:0)\])$/;

/** Returns true if a URL leads to the local machine; false for an invalid URL. */
export function isLoopback(url: string): boolean {
  const host = URL.parse(url)?.hostname.replace(/\.$/, "");
  return host !== undefined && LOOPBACK.test(host);
}
