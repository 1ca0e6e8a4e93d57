import type { CookieJar } from "tough-cookie";

const MOST_STEPS = 12;

export interface Visit {
  /** Sent by POST, as the form of the page would. */
  readonly form?: Readonly<Record<string, string>>;
  /** The address, without its query, that is not to be opened: where it leads, the way ends. */
  readonly until?: string;
}

/** Where a visit ended; no response where that was at `until`. */
export interface Arrival {
  readonly url: URL;
  readonly response: Response | null;
}

/** Goes where a browser would go, with its cookies and by its redirects. */
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
    // The redirects of a sign-in are 302 and 303: a form is sent once.
    body = undefined;
    url = new URL(next, url);
  }
  throw new Error("The way goes round in circles.");
}
