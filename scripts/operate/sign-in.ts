import { CookieJar } from "tough-cookie";
import { beginSignIn, redeemCode } from "../local/fakes/identity/code-flow.ts";
import { CALLBACK_PATH } from "../local/fakes/identity/names.ts";

/** Signs in at the fake as a person would, by its page and form, and returns the access token. */
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

const MOST_STEPS = 12;

export interface Visit {
  /** Fields to send by POST, as the page's form would. */
  readonly form?: Readonly<Record<string, string>>;
  /** The URL, without its query, at which to stop without opening it. */
  readonly until?: string;
}

/** The end of a visit; `response` is null if it ended at `until`. */
export interface Arrival {
  readonly url: URL;
  readonly response: Response | null;
}

/** Follows redirects as a browser would, with its cookies. @throws Error after 12 redirects */
export async function browse(jar: CookieJar, address: string, { form, until }: Visit = {}): Promise<Arrival> {
  let url = new URL(address);
  let body = form && new URLSearchParams(form);
  for (let step = 0; step < MOST_STEPS; step += 1) {
    if (url.origin + url.pathname === until) return { url, response: null };
    const response = await fetch(url, {
      method: body ? "POST" : "GET",
      headers: { cookie: await jar.getCookieString(url.href) },
      ...(body && { body }),
      redirect: "manual",
    });
    for (const cookie of response.headers.getSetCookie()) await jar.setCookie(cookie, url.href);
    const next = response.headers.get("location");
    if (next === null) return { url, response };
    await response.body?.cancel();
    // A sign-in redirects with 302 and 303, so the form is sent only once.
    body = undefined;
    url = new URL(next, url);
  }
  throw new Error("the page redirected too many times");
}
