import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { CookieJar } from "tough-cookie";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listeningUrl } from "../../../../scripts/shared/child.ts";
import { writePrivateFile } from "../../../../scripts/shared/state/private-file.ts";
import { createStateFolder, stateFolder } from "../../../../scripts/shared/state/state-folder.ts";
import { beginSignIn, redeemCode } from "../../../../scripts/local/fakes/identity/code-flow.ts";
import { AUDIENCE } from "../../../../scripts/local/fakes/identity/names.ts";
import { createIdentityFake, type IdentityFake } from "../../../../scripts/local/fakes/identity/server.ts";
import { browse, signIn } from "../../../../scripts/operate/sign-in.ts";

const API = "http://127.0.0.1:8787";

let folder: string;
let file: string;
let fake: IdentityFake;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "identity-"));
  file = join(folder, "identity.json");
  fake = await createIdentityFake({ file, apiUrl: API });
});
afterEach(async () => {
  await fake.close();
  await rm(folder, { recursive: true });
});

const issuerOf = async ({ url }: IdentityFake): Promise<string> => {
  const document = await fetch(`${url}/.well-known/openid-configuration`);
  const { issuer }: { issuer: string } = JSON.parse(await document.text());
  return issuer;
};

/** Verifies a token like the API: by the keys that the provider publishes now. */
const verify = async (token: string) =>
  jwtVerify(token, createRemoteJWKSet(new URL(`${fake.url}/jwks`)), {
    issuer: await issuerOf(fake),
    audience: AUDIENCE,
    algorithms: ["RS256"],
    typ: "at+jwt",
  });

describe("a sign-in at the identity provider's fake", () => {
  it("returns an access token for the API with one hour and its owner's claims", async () => {
    const { payload } = await verify(await signIn(fake.url, "ada.lovelace@example.com"));
    expect(payload).toMatchObject({
      email: "ada.lovelace@example.com",
      email_verified: true,
      name: "Ada Lovelace",
      picture: `${fake.url}/pictures/A.svg`,
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3_600);
    const picture = await fetch(String(payload["picture"]));
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  });

  it("names one person for one address in any spelling, and another for another", async () => {
    const emails = ["a@example.com", "A@Example.com", "b@example.com"];
    const tokens = await Promise.all(emails.map((email) => signIn(fake.url, email)));
    const [a, again, b] = await Promise.all(tokens.map(async (token) => (await verify(token)).payload.sub));
    expect(again).toBe(a);
    expect(b).not.toBe(a);
  });

  it("needs no more than a browser: the page ends with the token and requests to copy", async () => {
    const jar = new CookieJar();
    const first = await browse(jar, fake.url);
    expect(await first.response?.text()).toMatch(/fake[^]*href="\/sign-in"|href="\/sign-in"[^]*fake/);
    const asked = await browse(jar, `${fake.url}/sign-in`);
    const refused = await browse(jar, asked.url.href, { form: { email: "nobody" } });
    expect(refused.response?.status).toBe(400);
    expect(await refused.response?.text()).toContain("That is not an e-mail address.");
    const { url, response } = await browse(jar, asked.url.href, { form: { email: "a@example.com" } });
    const page = (await response?.text()) ?? "";
    const token = /<pre id="token">([\w.-]+)<\/pre>/.exec(page)?.[1] ?? "";
    expect((await verify(token)).payload["email"]).toBe("a@example.com");
    expect(page).toContain(`export SEGMENTATION_BASE_URL=${API}\n`);
    expect(page).toContain("$SEGMENTATION_BASE_URL/v1/account/overview");
    expect(response?.headers.get("cache-control")).toBe("no-store");

    const reloaded = await browse(jar, url.href);
    expect(reloaded.response?.status).toBe(400);
    expect((await browse(new CookieJar(), url.href)).response?.status).toBe(400);
  });

  it("needs the PKCE verifier of the client that began it, and its code serves once", async () => {
    const codeOf = async () => {
      const jar = new CookieJar();
      const { address, ...pending } = beginSignIn(fake.url);
      const asked = await browse(jar, address);
      const until = `${fake.url}/signed-in`;
      const { url } = await browse(jar, asked.url.href, { form: { email: "a@example.com" }, until });
      return { pending, callback: url.searchParams };
    };
    const one = await codeOf();
    const thief = { ...one.pending, verifier: beginSignIn(fake.url).verifier };
    await expect(redeemCode(fake.url, one.callback, thief)).rejects.toThrow(/grant/);
    const other = await codeOf();
    await redeemCode(fake.url, other.callback, other.pending);
    await expect(redeemCode(fake.url, other.callback, other.pending)).rejects.toThrow(/grant/);
    await expect(redeemCode(fake.url, other.callback, one.pending)).rejects.toThrow("another sign-in");
  });
});

describe("the identity provider's fake after a restart", () => {
  it("keeps its address and accepts its earlier tokens; its key is in a private file", async () => {
    const { url } = fake;
    const token = await signIn(url, "a@example.com");
    await fake.close();
    fake = await createIdentityFake({ file, apiUrl: API });
    expect(fake.url).toBe(url);
    await verify(token);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("keeps its name, and so its accounts, if another program has taken its port", async () => {
    const { url } = fake;
    const token = await signIn(url, "a@example.com");
    await fake.close();
    const squatter = createServer().listen(Number(new URL(url).port), "127.0.0.1");
    await once(squatter, "listening");
    fake = await createIdentityFake({ file, apiUrl: API });
    squatter.close();
    expect(fake.url).not.toBe(url);
    expect(await issuerOf(fake)).toBe(url);
    const before = await verify(token);
    const after = await verify(await signIn(fake.url, "a@example.com"));
    expect(after.payload.sub).toBe(before.payload.sub);
  });
});

it("as a process, it prints if it listens and nothing else", async () => {
  const env = { ...process.env, IDENTITY_FILE: join(folder, "other.json"), API_URL: API };
  const child = spawn(process.execPath, ["scripts/local/fakes/identity/main.ts"], { env });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  const [line] = await once(child.stdout, "data");
  await signIn(listeningUrl(String(line)) ?? "", "a@example.com");
  child.kill("SIGTERM");
  expect(await printed).toEqual([String(line), ""]);
});

describe("npm run token", () => {
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, ["scripts/operate/token.ts", ...args], {
      env: { ...process.env, STATE_DIR: folder },
    });
  const ready = async (address: Record<string, string>) => {
    const state = stateFolder(folder);
    await createStateFolder(state);
    const always = { baseUrl: API, apiKey: "sk_live_x", inferenceUrl: API };
    await writePrivateFile(state.ready, JSON.stringify({ ...always, ...address }));
  };

  it("prints the access token alone", async () => {
    await ready({ identityUrl: fake.url });
    const { stdout, stderr } = await run("--email", "a@example.com");
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    expect((await verify(stdout.trim())).payload["email"]).toBe("a@example.com");
  });

  it("names the missing part: a stack, a fake, an address", async () => {
    await expect(run("--email", "a@example.com")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Start one with npm start"),
    });
    await ready({});
    await expect(run("--email", "a@example.com")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("OIDC_ISSUER"),
    });
    await ready({ identityUrl: "http://127.0.0.1:9" });
    await expect(run("--email", "a@example.com")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Is the stack still running?"),
    });
    await expect(run()).rejects.toMatchObject({ code: 2 });
    await expect(run("--email", "nobody")).rejects.toMatchObject({ code: 2 });
    await expect(run("--mail", "a@example.com")).rejects.toMatchObject({ code: 2 });
  });
});
