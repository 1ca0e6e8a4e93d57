import { generateApiKey } from "../../../../src/accounts/rules/api-key.ts";
import { signToken } from "../../../../src/shared/signed-token.ts";
import { secretsOf } from "../../../../src/feature-settings.ts";
import { newProviderKey, FakeIdentityProvider, goodClaims, rawToken } from "./access-tokens.ts";
import { home } from "../runtime/databases.ts";

const flipLast = (text: string): string => text.slice(0, -1) + (text.endsWith("0") ? "1" : "0");

/** Everything that can be wrong with the form of a credential: whole headers, null for none. */
const badHeaders = (key: string, token: string): (string | null)[] => [
  null,
  "",
  " ",
  "Bearer",
  "Bearer ",
  key,
  token,
  `Basic ${key}`,
  `Basic ${btoa(`${key}:`)}`,
  `Digest ${key}`,
  `Token ${key}`,
  `Bearer: ${key}`,
  `Bearer=${key}`,
  `Bearer\t${key}`,
  `Bearer "${key}"`,
  `Bearer <${key}>`,
  `BearerBearer ${key}`,
  `Bearer Bearer ${key}`,
  `Bearer ${key} ${key}`,
  `Bearer ${key}, Bearer ${key}`,
  `Bearer ${key},`,
  `${key} Bearer`,
  "Bearer null",
  "Bearer undefined",
  "Bearer {}",
  "Bearer .",
  "Bearer ..",
  "Bearer a.b.c",
  "Bearer a.b.c.d.e",
  "Bearer sk_live_",
  `Bearer ${"x".repeat(5_000)}`,
  `Bearer ${"x.".repeat(50_000)}`,
];

/** Strings that are not keys, each close to a key. */
const badKeys = (key: string): string[] => [
  `${key}x`,
  key.slice(0, -1),
  key.slice(0, 8),
  key.slice(8),
  key.toLowerCase(),
  key.toUpperCase(),
  flipLast(key),
  `sk_test_${key.slice(8)}`,
  `SK_LIVE_${key.slice(8)}`,
  key.slice(0, 30) + flipLast(key.slice(30, 31)) + key.slice(31),
  `${key}%00`,
  encodeURIComponent(`${key}\n`),
  generateApiKey(),
];

/** Access tokens that must be refused. */
async function badTokens(provider: FakeIdentityProvider): Promise<string[]> {
  const now = Math.floor(Date.now() / 1_000);
  const stranger = { ...(await newProviderKey()), kid: provider.key.kid };
  const good = await provider.issue();
  const [header = "", claims = ""] = good.split(".");
  const secrets = secretsOf(home.platform.settings);
  return [
    ...(await Promise.all([
      provider.issue({ exp: now - 3_600 }),
      provider.issue({ exp: undefined }),
      provider.issue({ nbf: now + 3_600 }),
      provider.issue({ iss: "https://elsewhere.test" }),
      provider.issue({ iss: undefined }),
      provider.issue({ aud: "https://other-api.test" }),
      provider.issue({ aud: undefined }),
      provider.issue({ sub: undefined }),
      provider.issue({ sub: "" }),
      provider.issue({}, { key: stranger }),
      provider.issue({}, { header: { kid: "unknown" } }),
      signToken(secrets, "lease", { job: "job_1", task: "t", lease: 1, ...goodClaims() }),
    ])),
    rawToken({ alg: "none" }, goodClaims()),
    rawToken({ alg: "none" }, goodClaims(), "AAAA"),
    rawToken({ alg: "HS256", kid: provider.key.kid }, goodClaims(), "AAAA"),
    flipLast(good),
    `${header}.${claims}.`,
    `${header}.${claims}`,
    good.replace(".", ".."),
  ];
}

/** Whole headers (null for none) with everything that can be wrong with a credential. */
export const badCredentials = async (
  provider: FakeIdentityProvider,
  key: string,
): Promise<(string | null)[]> => [
  ...badHeaders(key, await provider.issue()),
  ...[...badKeys(key), ...(await badTokens(provider))].map((credential) => `Bearer ${credential}`),
];
