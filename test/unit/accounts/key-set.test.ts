import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { build } from "esbuild";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listen } from "../../../scripts/shared/listen.ts";
import { runtimeOf, startWorkerd } from "../../support/runtime/workerd.ts";

/** Answers with the status that a token gets, after input and output of the same request. */
const WORKER = `
import { waitUntil } from "cloudflare:workers";
import { IdentityProvider } from "./src/accounts/store/identity-provider.ts";
let provider;
export default {
  async fetch(request, { ISSUER }) {
    provider ??= new IdentityProvider({
      issuer: ISSUER, audience: "api", algorithms: ["ES256"], clockToleranceSeconds: 5, jwksUrl: ISSUER + "/jwks",
    }, waitUntil);
    try {
      const claims = await provider.verify(request.headers.get("authorization"));
      await (await fetch(ISSUER + "/own")).text();
      return new Response(claims?.sub ?? "refused");
    } catch (error) {
      return new Response(error.code ?? String(error));
    }
  },
};`;

const CONFIGURATION = (issuer: string, date: string, flags: readonly string[]) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "${date}",
      compatibilityFlags = ${JSON.stringify(flags)},
      bindings = [(name = "ISSUER", text = "${issuer}")],
    )),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "main", address = "127.0.0.1:0", http = (), service = "main")],
);`;

let server: Server;
let issuer: string;
let runtime: Awaited<ReturnType<typeof startWorkerd>>;
/** The keys of the provider, the number of their fetches, and the promise that delays the next answer. */
let [keys, fetches, answered]: [object[], number, Promise<unknown>] = [[], 0, Promise.resolve()];

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === "/own") return response.end();
    fetches += 1;
    return void answered.then(() => response.end(JSON.stringify({ keys })));
  });
  issuer = await listen(server);
  const { outputFiles } = await build({
    stdin: { contents: WORKER, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    format: "esm",
    conditions: ["workerd"],
    external: ["cloudflare:workers"],
  });
  const { compatibility_date: date, compatibility_flags: flags } = await runtimeOf();
  runtime = await startWorkerd({
    "worker.js": outputFiles[0]?.text ?? "",
    "config.capnp": CONFIGURATION(issuer, date, flags),
  });
});

afterAll(async () => {
  await runtime?.end();
  server.close();
  server.closeAllConnections();
  await once(server, "close");
});

/** Publishes another key. Returns the function that signs a token with it. */
async function rotate(): Promise<() => Promise<string>> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const kid = crypto.randomUUID();
  keys = [{ ...(await exportJWK(publicKey)), kid, alg: "ES256" }];
  return () =>
    new SignJWT()
      .setProtectedHeader({ alg: "ES256", kid })
      .setIssuer(issuer)
      .setAudience("api")
      .setSubject(crypto.randomUUID())
      .setExpirationTime("1h")
      .sign(privateKey);
}

const verify = async (token: string, signal?: AbortSignal): Promise<string> =>
  (await fetch(runtime.url, { headers: { authorization: token }, ...(signal && { signal }) })).text();

it("concurrent requests share one fetch of a new key, even if the first one is canceled", async () => {
  for (const leaves of [false, true]) {
    const sign = await rotate();
    const tokens = await Promise.all(Array.from({ length: 50 }, sign));
    const [begun, hold, leaving] = [fetches, Promise.withResolvers(), new AbortController()];
    answered = hold.promise;
    const first = verify(await sign(), leaving.signal).catch(() => "gone");
    await expect.poll(() => fetches).toBe(begun + 1);
    const others = tokens.map((token) => verify(token));
    if (leaves) leaving.abort();
    await new Promise((resolve) => setTimeout(resolve, 200));
    hold.resolve(undefined);
    const subjects = await Promise.all(others);
    for (const subject of subjects) expect(subject).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(subjects).size).toBe(50);
    expect(await first).toMatch(leaves ? /^gone$/ : /^[0-9a-f-]{36}$/);
    expect(fetches).toBe(begun + 1);
  }
});
