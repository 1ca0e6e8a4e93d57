import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getCookie, setCookie } from "hono/cookie";
import { secureHeaders } from "hono/secure-headers";
import type { Provider } from "oidc-provider";
import { z } from "zod";
import { messageOf } from "../../../shared/error-parts.ts";
import { STYLE } from "../page.ts";
import { COPY_SCRIPT, portrait } from "./assets.ts";
import { beginSignIn, redeemCode } from "./code-flow.ts";
import { errorPage, loginPage, startPage, tokenPage } from "./pages.ts";
import { Email, subjectOf } from "./people.ts";
import { CALLBACK_PATH } from "./names.ts";

const MOST_FORM_BYTES = 10_000;
const PENDING_COOKIE = "pending_sign_in";
const PICTURE = /^([\p{L}\p{N}])\.svg$/u;
const Pending = z.object({ state: z.string(), verifier: z.string() });

const pageHeaders = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], styleSrc: ["'self'"], scriptSrc: ["'self'"] },
  strictTransportSecurity: false,
});

export interface AppOptions {
  readonly provider: Provider;
  readonly url: string;
  /** The URL of the API, for the requests on the token page. */
  readonly apiUrl: string;
}

/** The fake's pages and the provider's endpoints. */
export function createIdentityApp({ provider, url, apiUrl }: AppOptions) {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const handleByProvider = provider.callback();

  app.use("/", pageHeaders);
  app.get("/", (c) => c.html(startPage()));
  app.get("/style.css", (c) => c.body(STYLE, 200, { "content-type": "text/css" }));
  app.get("/copy.js", (c) => c.body(COPY_SCRIPT, 200, { "content-type": "text/javascript" }));
  app.get("/pictures/:file", (c) => {
    const [, initial] = PICTURE.exec(c.req.param("file")) ?? [];
    if (initial === undefined) return c.notFound();
    return c.body(portrait(initial), 200, { "content-type": "image/svg+xml" });
  });

  app.get("/sign-in", (c) => {
    const { address, ...pending } = beginSignIn(url);
    const value = Buffer.from(JSON.stringify(pending)).toString("base64url");
    setCookie(c, PENDING_COOKIE, value, {
      httpOnly: true,
      sameSite: "Lax",
      path: CALLBACK_PATH,
      maxAge: 3_600,
    });
    return c.redirect(address);
  });

  app.use("/login/*", pageHeaders, bodyLimit({ maxSize: MOST_FORM_BYTES }));
  app.get("/login/:uid", (c) => c.html(loginPage(null)));
  app.post("/login/:uid", async (c) => {
    const email = Email.safeParse((await c.req.parseBody())["email"]);
    if (!email.success)
      return c.html(loginPage("That is not an e-mail address. Enter one like a@example.com."), 400);
    const { incoming, outgoing } = c.env;
    // The sign-in includes the consent: a host of agents asks for it, with the scope offline_access.
    const result = { login: { accountId: subjectOf(email.data) }, consent: {} };
    return c.redirect(await provider.interactionResult(incoming, outgoing, result), 303);
  });

  app.use(CALLBACK_PATH, pageHeaders);
  app.get(CALLBACK_PATH, async (c) => {
    c.header("cache-control", "no-store");
    const remembered = Buffer.from(getCookie(c, PENDING_COOKIE) ?? "", "base64url").toString() || "null";
    try {
      const pending = Pending.parse(JSON.parse(remembered));
      const token = await redeemCode(url, new URL(c.req.url).searchParams, pending);
      return c.html(tokenPage(apiUrl, token));
    } catch {
      return c.html(errorPage("This sign-in did not start in this browser, or it was already used."), 400);
    }
  });

  app.all("*", async (c) => {
    await handleByProvider(c.env.incoming, c.env.outgoing);
    return RESPONSE_ALREADY_SENT;
  });
  app.onError((error, c) => c.html(errorPage(messageOf(error)), 400));
  return app;
}
