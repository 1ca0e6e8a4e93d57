import { signal } from "@preact/signals";
import type { StudioConfig } from "../../../src/http/studio-config.ts";

export type { StudioConfig };

/** Sign-in at the identity provider. */
export type SignInSettings = NonNullable<StudioConfig["signIn"]>;

/** Fetches the deployment's name and sign-in. @throws TypeError if it cannot be reached */
export async function loadConfig(): Promise<StudioConfig> {
  const response = await fetch("/studio/config.json");
  if (!response.ok) throw new TypeError(`The studio’s settings could not be loaded (${response.status}).`);
  const config: StudioConfig = await response.json();
  return config;
}

/** The operator's settings: name, logo and sign-in. Loaded before anything is drawn. */
export const config = signal<StudioConfig>({
  name: "Studio",
  logoUrl: null,
  maxImagePixels: Infinity,
  maxImageBytes: Infinity,
  maxVideoBytes: Infinity,
  paidPlan: null,
  signIn: null,
});
