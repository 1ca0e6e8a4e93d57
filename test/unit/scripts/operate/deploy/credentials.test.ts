import { createHash } from "node:crypto";
import { expect, it, vi } from "vitest";
import type { FakeAccount } from "../../../../support/stack/wrangler/account.ts";
import { aroundEachDeployment, world } from "../../../../support/stack/deployment.ts";
import { emptyAccount } from "../../../../support/stack/half-configured.ts";
import { cloneWith, create } from "../../../../support/stack/created-deployment.ts";

aroundEachDeployment();

const TO_CLICK =
  "open https://dash.cloudflare.com/?to=/:account/r2/api-tokens, click Create Account API token, choose Object Read & Write, apply it to the bucket segmentation-media only, create it, and copy Access Key ID (S3_ACCESS_KEY_ID) and Secret Access Key (S3_SECRET_ACCESS_KEY); then npx wrangler secret put S3_ACCESS_KEY_ID";

const secretOf = (value: string): string => createHash("sha256").update(value).digest("hex");

/** A clone whose operator has an API token for this account. */
async function cloneWithToken(changes: Partial<FakeAccount>) {
  const account = { ...emptyAccount(), ...changes };
  world.account = account;
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "the-api-token");
  return await cloneWith(account);
}

it("makes the bucket's credentials with an API token that may create tokens, in one run", async () => {
  const { run, account } = await cloneWithToken({ tokens: [] });
  expect(await run(create), world.printed).toBe(0);
  expect(account.stored).toMatchObject({
    S3_ACCESS_KEY_ID: "token-0",
    S3_SECRET_ACCESS_KEY: secretOf("a value"),
  });
  expect(account.tokens).toMatchObject([
    {
      name: "segmentation-job-service: segmentation-media",
      policies: [
        {
          effect: "allow",
          permission_groups: [{ id: "id of Workers R2 Storage Bucket Item Write" }],
          resources: {
            "com.cloudflare.edge.r2.bucket.0123456789abcdef0123456789abcdef_default_segmentation-media": "*",
          },
        },
      ],
    },
  ]);
  expect(world.printed).not.toContain(secretOf("a value"));
});

it("makes no second token after a run whose credentials were not stored", async () => {
  const { run, account } = await cloneWithToken({ tokens: [], broken: ["secret bulk"] });
  expect(await run(create)).toBe(1);
  account.broken = [];
  expect(await run(create), world.printed).toBe(0);
  expect(account.tokens).toHaveLength(1);
  expect(account.stored["S3_SECRET_ACCESS_KEY"]).toBe(secretOf("a value again"));
});

it("says which button to click if the API token lacks the permission or is missing", async () => {
  const refused = await cloneWithToken({ tokens: null });
  expect(await refused.run(create)).toBe(1);
  expect(world.printed).toContain(
    "CLOUDFLARE_API_TOKEN may not create tokens (Unauthorized to access requested resource). Give it the permission Account API Tokens: Edit",
  );
  expect(world.printed).toContain(TO_CLICK);
  vi.stubEnv("CLOUDFLARE_API_TOKEN", undefined);
  const without = await cloneWith(emptyAccount());
  expect(await without.run(create)).toBe(1);
  expect(world.printed).toContain(TO_CLICK);
});
