import { hexOf } from "@segmentation/masks";

const TOKEN_BYTES = 32;

/** Returns 32 random bytes in hex. */
export const randomToken = (): string => hexOf(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).buffer);
