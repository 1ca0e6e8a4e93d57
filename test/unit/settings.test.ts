import { describe, expect, it } from "vitest";
import { settingsOf } from "../../src/env.ts";
import { SettingsSchema } from "../../src/settings.ts";

const DEPLOYED = {
  PUBLIC_URL: "https://api.example.com",
  S3_ENDPOINT: "https://account.r2.cloudflarestorage.com",
  S3_BUCKET: "segmentation-media",
  S3_ACCESS_KEY_ID: "id",
  S3_SECRET_ACCESS_KEY: "key",
  MASTER_SECRET: "s".repeat(43),
  INFERENCE_URL: "https://inference.example.com",
  INFERENCE_TOKEN: "t".repeat(16),
};

const refused = (changes: object): string[] =>
  SettingsSchema.safeParse({ ...DEPLOYED, ...changes }).error?.issues.map(({ path }) => path.join(".")) ?? [];

describe("a deployed Worker's settings", () => {
  it("are accepted if every address is another machine's", () => {
    expect(refused({})).toEqual([]);
  });

  it.each([
    "PUBLIC_URL",
    "S3_ENDPOINT",
    "INFERENCE_URL",
    "OIDC_JWKS_URL",
    "STRIPE_API_URL",
    "BILLING_RETURN_URL",
    "UPGRADE_URL",
    "LABEL_STUDIO_URL",
  ])(
    "are refused if %s is an address of loopback, unless the local stack says that it runs all parts",
    (name) => {
      const oidc = name.startsWith("OIDC_") ? { OIDC_ISSUER: "issuer", OIDC_AUDIENCE: "audience" } : {};
      const token = "a-token-of-label-studio";
      const labelStudio = name.startsWith("LABEL_")
        ? { LABEL_STUDIO_TOKEN: token, LABEL_STUDIO_ACCOUNTS: "acct_1" }
        : {};
      const loopback = { ...oidc, ...labelStudio, [name]: "http://127.0.0.1:8787" };
      expect(refused(loopback)).toEqual([name]);
      expect(refused({ ...loopback, LOCAL_STACK: "yes" })).toEqual([]);
    },
  );

  /** Each setting that is an address, with the other settings that it needs. */
  const ADDRESSES: readonly (readonly [name: string, others: object])[] = [
    ["PUBLIC_URL", {}],
    ["S3_ENDPOINT", {}],
    ["INFERENCE_URL", {}],
    ["OIDC_JWKS_URL", { OIDC_ISSUER: "issuer", OIDC_AUDIENCE: "audience" }],
    ["OIDC_ISSUER", { OIDC_AUDIENCE: "audience", OIDC_JWKS_URL: "https://id.example.com/jwks" }],
    ["STUDIO_IDENTITY_ORIGINS", {}],
    ["STRIPE_API_URL", {}],
    ["BILLING_RETURN_URL", {}],
    ["UPGRADE_URL", {}],
    ["LABEL_STUDIO_URL", { LABEL_STUDIO_TOKEN: "a-token-of-label-studio", LABEL_STUDIO_ACCOUNTS: "acct_1" }],
  ];

  it.each(ADDRESSES)("are refused if %s is not https, outside the local stack", (name, others) => {
    const path = name === "STUDIO_IDENTITY_ORIGINS" ? /^STUDIO_IDENTITY_ORIGINS(?:\.0)?$/ : name;
    expect(refused({ ...others, [name]: "https://there.example.com" })).toEqual([]);
    for (const address of ["http://203.0.113.5:8788", "HTTP://there.example.com", "http://10.0.0.5"]) {
      expect(refused({ ...others, [name]: address }), address).toEqual([name]);
      expect(refused({ ...others, [name]: address, LOCAL_STACK: "yes" }), address).toEqual([]);
    }
    for (const address of [
      "javascript:alert(1)",
      "ftp://there.example.com",
      "file:///etc/passwd",
      "ws://there",
    ]) {
      expect(refused({ ...others, [name]: address }), address).toEqual([expect.stringMatching(path)]);
      expect(refused({ ...others, [name]: address, LOCAL_STACK: "yes" }), address).toEqual([
        expect.stringMatching(path),
      ]);
    }
  });

  it("are refused if Label Studio's files have no account that may see them", () => {
    const address = {
      LABEL_STUDIO_URL: "https://labels.example.com",
      LABEL_STUDIO_TOKEN: "a-token-of-label-studio",
    };
    expect(refused(address)).toEqual(["LABEL_STUDIO_ACCOUNTS"]);
    expect(refused({ ...address, LABEL_STUDIO_ACCOUNTS: "acct_1, acct_2" })).toEqual([]);
  });

  it.each(["MASTER_SECRET", "MASTER_SECRET_PREVIOUS"])(
    "are refused if %s is not 32 random bytes or more in base64 [A8-1]",
    (name) => {
      for (const bytes of [32, 33, 48]) {
        const random = Buffer.from(crypto.getRandomValues(new Uint8Array(bytes)));
        const forms = [random.toString("base64"), random.toString("base64url"), random.toString("hex")];
        for (const value of forms) expect(refused({ [name]: value }), value).toEqual([]);
      }
      const short = Buffer.alloc(31, 7).toString("base64");
      for (const value of ["", "x".repeat(42), short, "a password of some forty-three characters!!"])
        expect(refused({ [name]: value }), value).toEqual([name]);
    },
  );

  it.each([
    ["TRIAL_DAYS", 3_650],
    ["RETENTION_DAYS", 3_650],
    ["LEASE_SECONDS", 3_600],
    ["RESEND_SECONDS", 21_600],
    ["OUTPUT_URL_SECONDS", 604_800],
    ["MAX_BODY_BYTES", 1_048_576],
    ["MAX_IMAGE_BYTES", 5_368_709_120],
    ["MAX_VIDEO_BYTES", 5_368_709_120],
    ["MAX_API_KEYS", 1_000],
    ["TASK_WINDOW", 100],
  ])("have a generous bound: %s is from 1 to %i", (name, most) => {
    const wrong = ["0", "-1", "1e12", "0.5", "", "many", String(most + 1)];
    expect(wrong.filter((value) => refused({ [name]: value }).length === 0)).toEqual([]);
    expect([...refused({ [name]: "1" }), ...refused({ [name]: String(most) })]).toEqual([]);
  });

  it.each(["", "no", "true"])("are refused if LOCAL_STACK is %j", (value) => {
    expect(refused({ LOCAL_STACK: value })).toEqual(["LOCAL_STACK"]);
  });

  it("are refused with ALLOW_LOCAL_URLS, unless the local stack says that it runs all parts", () => {
    expect(refused({ ALLOW_LOCAL_URLS: "true" })).toEqual(["ALLOW_LOCAL_URLS"]);
    expect(refused({ ALLOW_LOCAL_URLS: "true", LOCAL_STACK: "yes" })).toEqual([]);
    expect(refused({ ALLOW_LOCAL_URLS: "false" })).toEqual([]);
  });
});

it("missing and wrong settings are named in plain words, without values, with a remedy", () => {
  const { MASTER_SECRET: _, INFERENCE_TOKEN: __, ...rest } = DEPLOYED;
  const env = { ...rest, INFERENCE_URL: "http://inference.example.com" };
  const settings = () => settingsOf(env);
  expect(settings).toThrow(/^The Worker lacks settings: MASTER_SECRET, INFERENCE_TOKEN\. /);
  expect(settings).toThrow("On a laptop, use npm start. For a deployment, npm run deploy says what to set");
  const whole = () => settingsOf({ ...DEPLOYED, ...env });
  expect(whole).toThrow(/^Some of its settings are wrong: INFERENCE_URL \(not an https address: /);
});
