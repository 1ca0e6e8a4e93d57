import { hexOf } from "../../shared/digest.ts";

/** Below the 15 minutes that Cloudflare leaves a machine after it asked it to stop. */
const DRAIN_SECONDS = 600;

const TOKEN_BYTES = 32;

/** Returns a token that only an object and its machine know. */
export const newToken = (): string => hexOf(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).buffer);

/** Returns the settings of a container's inference service, which follow from the Worker's. */
export const machineEnvironment = (
  { PUBLIC_URL: ownUrl, S3_ENDPOINT: bucket }: { readonly PUBLIC_URL: string; readonly S3_ENDPOINT: string },
  token: string,
): Record<string, string> => ({
  INFERENCE_TOKEN: token,
  STORAGE_ORIGINS: new URL(bucket).origin,
  CALLBACK_ORIGINS: new URL(ownUrl).origin,
  DRAIN_SECONDS: String(DRAIN_SECONDS),
});
