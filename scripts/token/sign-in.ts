import { CookieJar } from "tough-cookie";
import { beginSignIn, redeemCode } from "../stand-ins/identity/code-flow.ts";
import { CALLBACK_PATH } from "../stand-ins/identity/names.ts";
import { browse } from "./browse.ts";

/** Signs in at the stand-in as a person would, by its page and form, and returns the access token. */
export async function signIn(identityUrl: string, email: string): Promise<string> {
  const until = `${identityUrl}${CALLBACK_PATH}`;
  const jar = new CookieJar();
  const { address, ...pending } = beginSignIn(identityUrl);
  const asked = await browse(jar, address);
  const signedIn = await browse(jar, asked.url.href, { form: { email }, until });
  if (signedIn.response !== null)
    throw new Error(`the sign-in form was answered with status ${signedIn.response.status}`);
  return await redeemCode(identityUrl, signedIn.url.searchParams, pending);
}
