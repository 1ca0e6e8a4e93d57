import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Child } from "../../../../scripts/shared/child.ts";
import { loadSecrets } from "../../../../scripts/shared/state/secrets.ts";
import type { StackSettings } from "../../../../scripts/shared/state/settings.ts";
import { startFakes } from "../../../../scripts/local/stack/fakes.ts";
import { createStateFolder, stateFolder } from "../../../../scripts/shared/state/state-folder.ts";
import { workerValues } from "../../../../scripts/local/stack/worker-values.ts";

let folder: string;
let children: Child[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fakes-"));
  children = [];
});
afterEach(async () => {
  await Promise.all(children.map((child) => child.stop(0)));
  await rm(folder, { recursive: true });
});

const start = async (given: StackSettings) => {
  const state = stateFolder(folder);
  await createStateFolder(state);
  const secrets = await loadSecrets(state);
  const fakes = await startFakes({
    state,
    baseUrl: "http://127.0.0.1:1",
    given,
    secrets,
    adopt: (child) => void children.push(child),
    listener: () => () => undefined,
    signal: new AbortController().signal,
  });
  return { ...fakes, secrets };
};

it("both fakes run without settings of real services, and the Worker accepts their tokens", async () => {
  const { values, addresses, secrets } = await start({ STRIPE_METER_EVENT: "units" });
  expect(children).toHaveLength(2);
  expect(values).toEqual({
    OIDC_ISSUER: addresses.identityUrl,
    OIDC_AUDIENCE: "urn:segmentation-job-service",
    OIDC_JWKS_URL: `${addresses.identityUrl}/jwks`,
    STUDIO_CLIENT_ID: "studio",
    STRIPE_SECRET_KEY: secrets.STRIPE_SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: secrets.STRIPE_WEBHOOK_SECRET,
    STRIPE_PRICE_ID: "price_stand_in",
    STRIPE_METER_EVENT: "units",
    STRIPE_API_URL: addresses.billingUrl,
  });
  const storage = { bucket: "b", accessKeyId: "a", secretAccessKey: "s" };
  expect(workerValues("http://127.0.0.1:1", "http://127.0.0.1:2", storage, secrets, values)).toMatchObject(
    values,
  );
});

it("an identity provider in the settings leaves Stripe's fake running, and vice versa", async () => {
  const billing = await start({ OIDC_ISSUER: "https://id.example" });
  expect(Object.keys(billing.addresses)).toEqual(["billingUrl"]);
  expect(billing.values).not.toHaveProperty("OIDC_AUDIENCE");
  const identity = await start({ STRIPE_SECRET_KEY: "sk_test" });
  expect(Object.keys(identity.addresses)).toEqual(["identityUrl"]);
  expect(identity.values).not.toHaveProperty("STRIPE_PRICE_ID");
  const none = await start({ OIDC_JWKS_URL: "https://id.example/keys", STRIPE_PRICE_ID: "price_1" });
  expect(none).toMatchObject({ values: {}, addresses: {} });
  expect(children).toHaveLength(2);
});

it("a fake that can't start is named, with its message, and the other one can be stopped", async () => {
  const started = start({ STRIPE_METER_EVENT: "" });
  await expect(started).rejects.toThrow(/^Stripe's fake ended during its start \(exit code 1\)/);
  expect(children).toHaveLength(1);
});
