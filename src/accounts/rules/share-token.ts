import { generateSecret, isWellFormedSecret } from "./api-key.ts";

const PREFIX = "shr_";

/** Maximum number of results that an account may share at a time. */
export const MOST_SHARES = 100;

/** Maximum number of requests by one link in a day (UTC): each costs the service a read and a write, and is free of charge. */
export const MOST_LINK_REQUESTS_PER_DAY = 10_000;

/** A new token of a share's link: as hard to guess as an API key, and as easy to find for secret scanners. */
export const generateShareToken = (): string => generateSecret(PREFIX);

/** Returns true if a string has the form and the checksum of a share's token. */
export const isWellFormedShareToken = (text: string): boolean => isWellFormedSecret(PREFIX, text);

/**
 * Returns the time at which a link ends: its requested end, but not after the retention of a job that it shows.
 * @param createdAt when each of these jobs was created; all times are epoch milliseconds
 */
export const shareEnd = (
  now: number,
  expiresInSeconds: number,
  createdAt: readonly number[],
  retentionMs: number,
): number => Math.min(now + expiresInSeconds * 1_000, Math.min(...createdAt) + retentionMs);
