import { crc32 } from "@segmentation/masks";
import { sha256Hex } from "../../shared/digest.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = "sk_live_";
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;

/** The part after a secret's prefix, for secret scanners: 40 base62 of randomness, 6 base62 of CRC-32. */
const AFTER_PREFIX = /^[0-9A-Za-z]{46}$/;

function checksum(text: string): string {
  let rest = crc32(new TextEncoder().encode(text));
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    digits = ALPHABET.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is the largest multiple of 62 in a byte: dropping the rest keeps the digits uniform.
      if (byte < 248 && text.length < length) text += ALPHABET.charAt(byte % 62);
    }
  }
  return text;
}

/** Returns a new secret: the prefix, 40 random base62 digits (238 bits) and the checksum of everything before it. */
export function generateSecret(prefix: string): string {
  const body = prefix + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** Returns true if a string has the form and the checksum of a secret with this prefix. Only D1 knows if the secret exists. */
export function isWellFormedSecret(prefix: string, text: string): boolean {
  if (!text.startsWith(prefix) || !AFTER_PREFIX.test(text.slice(prefix.length))) return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return checksum(body) === text.slice(-CHECKSUM_LENGTH);
}

export const generateApiKey = (): string => generateSecret(PREFIX);

/** Returns true if a string has the form and the checksum of a secret key. */
export const isWellFormedApiKey = (text: string): boolean => isWellFormedSecret(PREFIX, text);

/** Returns the digest that D1 stores and looks up: SHA-256 of the whole secret, hex. */
export const apiKeyDigest = (secret: string): Promise<string> => sha256Hex(secret);

/** Returns the visible part of a secret, by which people recognize the key: the prefix and four digits. */
export const apiKeyPrefix = (secret: string): string => secret.slice(0, PREFIX.length + 4);
