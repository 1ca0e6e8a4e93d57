import { signal } from "@preact/signals";
import type { StudioConfig } from "../../../src/http/studio-config.ts";

export type { StudioConfig };

/** How people sign in at the identity provider. */
export type SignInSettings = NonNullable<StudioConfig["signIn"]>;

/** Asks the deployment what it is called and how people sign in. @throws TypeError if it cannot be reached */
export async function loadConfig(): Promise<StudioConfig> {
  const response = await fetch("/studio/config.json");
  if (!response.ok) throw new TypeError(`The studio’s settings could not be loaded (${response.status}).`);
  const config: StudioConfig = await response.json();
  return config;
}

/** What the operator set: the name, the logo, how people sign in. Filled before anything is drawn. */
export const config = signal<StudioConfig>({
  name: "Studio",
  logoUrl: null,
  maxImagePixels: Infinity,
  paidPlan: null,
  signIn: null,
});
