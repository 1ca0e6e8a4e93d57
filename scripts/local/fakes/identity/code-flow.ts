import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { CALLBACK_PATH, CLIENT_ID } from "./names.ts";

/** A sign-in in progress: the client's state until it receives the code. */
export interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
}

const random = (): string => randomBytes(32).toString("base64url");

/** Begins the authorization code flow with PKCE (RFC 7636, S256) at the fake. `address` is the URL to open in the browser. */
export function beginSignIn(identityUrl: string): PendingSignIn & { readonly address: string } {
  const pending: PendingSignIn = { state: random(), verifier: random() };
  const address = new URL("/auth", identityUrl);
  address.search = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: "code",
    redirect_uri: `${identityUrl}${CALLBACK_PATH}`,
    scope: "openid email profile",
    // Ask again despite an earlier session, so that another person can sign in.
    prompt: "login",
    state: pending.state,
    code_challenge: createHash("sha256").update(pending.verifier).digest("base64url"),
    code_challenge_method: "S256",
  }).toString();
  return { ...pending, address: address.href };
}

const Answer = z.object({ access_token: z.string() });
const Refusal = z.object({ error: z.string(), error_description: z.string().optional() });

/** Exchanges the code in the callback for the access token. @throws Error with the provider's message */
export async function redeemCode(
  identityUrl: string,
  callback: URLSearchParams,
  pending: PendingSignIn,
): Promise<string> {
  const refused = Refusal.safeParse(Object.fromEntries(callback));
  if (refused.success) throw new Error(refused.data.error_description ?? refused.data.error);
  if (callback.get("state") !== pending.state)
    throw new Error("The response belongs to another sign-in. Sign in again.");
  const response = await fetch(new URL("/token", identityUrl), {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id: CLIENT_ID,
      redirect_uri: `${identityUrl}${CALLBACK_PATH}`,
      code: callback.get("code") ?? "",
      code_verifier: pending.verifier,
    }),
  });
  const body: unknown = await response.json();
  if (response.ok) return Answer.parse(body).access_token;
  const { error, error_description: description } = Refusal.parse(body);
  throw new Error(description ?? error);
}
