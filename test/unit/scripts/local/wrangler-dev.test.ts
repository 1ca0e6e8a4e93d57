import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readConfiguration } from "../../../../scripts/shared/cloudflare/configuration.ts";
import { refuseUnconfigured } from "../../../../scripts/local/stack/wrangler-dev.ts";
import { SettingsSchema } from "../../../../src/settings.ts";

const { vars } = await readConfiguration("wrangler.toml", { operator: false });
const published = parseEnv(await readFile(".env", "utf8"));

const refused = (settings: object): string[] =>
  SettingsSchema.safeParse(settings).error?.issues.map(({ path }) => path.join(".")) ?? [];

it("wrangler dev has every setting that the Worker needs from wrangler.toml and .env", () => {
  expect(refused({ ...vars, ...published })).toEqual([]);
  expect(refused(vars)).toContain("MASTER_SECRET");
});

it("a Worker that is not on this machine refuses the secrets of .env, even as a local stack", () => {
  const deployed = {
    ...vars,
    ...published,
    PUBLIC_URL: "https://segmentation.example.com",
    S3_ENDPOINT: "https://account.r2.cloudflarestorage.com",
    INFERENCE_URL: "https://inference.example.com",
  };
  const secrets = ["MASTER_SECRET", "INFERENCE_TOKEN", "OPERATOR_TOKEN"];
  expect(refused(deployed)).toEqual(secrets);
  expect(refused({ ...deployed, LOCAL_STACK: undefined, ALLOW_LOCAL_URLS: "false" })).toEqual(secrets);
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "wrangler-dev-"));
});
afterAll(() => rm(folder, { recursive: true }));

it("wrangler deploy of an unconfigured clone names the command to run; a configured one is deployed", async () => {
  const config = join(folder, "wrangler.toml");
  const text = await readFile("wrangler.toml", "utf8");
  await writeFile(config, text);
  await expect(refuseUnconfigured(config)).rejects.toThrow("Run `npm run deploy`");
  await writeFile(config, text.replace("http://127.0.0.1:8787", "https://segmentation.example.com"));
  await refuseUnconfigured(config);
  await writeFile(config, text);
  await writeFile(join(folder, "wrangler.operator.toml"), "[vars]\n");
  await refuseUnconfigured(config);
});
