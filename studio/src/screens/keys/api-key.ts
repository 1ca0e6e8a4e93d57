import type { Answer } from "segmentation-client";
import { remembered } from "../../sign-in/remembered.ts";

export type ApiKey = Answer<"listApiKeys">["items"][number];

/** Whether this tab is signed in by a key: of a key only its first characters can be compared. */
export function isKeyOfThisTab({ prefix, revoked }: ApiKey): boolean {
  const credential = remembered();
  return credential?.kind === "key" && !revoked && credential.apiKey.startsWith(prefix);
}
