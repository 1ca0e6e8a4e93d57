/** Below the 15 minutes that Cloudflare leaves a machine after it asked it to stop. */
const DRAIN_SECONDS = 600;

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
