import { vi } from "vitest";
import { Media } from "../../../../src/shared/bucket/bucket.ts";
import { JWKS_URL, newProviderKey } from "../client/access-tokens.ts";
import { home } from "../runtime/databases.ts";
import { FakeInference } from "../fakes/inference.ts";
import { FakeStripe } from "../fakes/stripe.ts";
import type { Meter } from "./meter.ts";

/** As wrangler.toml binds them. */
const REQUESTS_A_MINUTE = { account: 600, address: 300 };

/**
 * Replaces Cloudflare's limiters, which count in real time, with a count for each simulated minute: a month takes minutes here.
 * Other tests check that the bound limiters refuse the request above their limit (rate-limit.test.ts, address-rate.test.ts).
 */
function modelRates(): void {
  const { requestRate, addressRate } = home.platform;
  for (const [rate, limit] of [
    [requestRate, REQUESTS_A_MINUTE.account],
    [addressRate, REQUESTS_A_MINUTE.address],
  ] as const) {
    const counts = new Map<string, number>();
    let minute = 0;
    vi.spyOn(rate, "admits").mockImplementation(async (key) => {
      const now = Math.floor(Date.now() / 60_000);
      if (now !== minute) counts.clear();
      minute = now;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count <= limit;
    });
  }
}

/** Objects of a few bytes that pretend to be large: the size that the Worker sees. */
export type PretendedSizes = Map<string, number>;

function pretend(sizes: PretendedSizes): void {
  // oxlint-disable-next-line typescript/unbound-method -- called with the store itself below
  const { peek } = Media.prototype;
  vi.spyOn(Media.prototype, "peek").mockImplementation(async function (this: Media, key) {
    const stored = await peek.call(this, key);
    return stored && { ...stored, size: sizes.get(key) ?? stored.size };
  });
}

/** The world outside the Worker: the inference service, Stripe, the identity provider, the limiters, large sizes. */
export interface Outside {
  readonly inference: FakeInference;
  readonly stripe: FakeStripe;
  readonly sizes: PretendedSizes;
}

/** Fakes the world outside the Worker, and counts its requests. */
export async function fakeOutside(meter: Meter): Promise<Outside> {
  const key = await newProviderKey();
  const fetched = () => {
    const answer = vi.mocked(fetch).getMockImplementation();
    if (answer === undefined) throw new Error("fetch is not faked");
    return answer;
  };
  const inference = new FakeInference();
  const byInference = fetched();
  const stripe = new FakeStripe();
  const byStripe = fetched();
  vi.mocked(fetch).mockImplementation((input, init) => {
    const { origin, href } = new URL(new Request(input).url);
    if (href === JWKS_URL) {
      meter.now.identityCalls += 1;
      return Promise.resolve(Response.json({ keys: [key.jwk] }));
    }
    if (origin === home.platform.settings.STRIPE_API_URL) {
      meter.now.stripeCalls += 1;
      return byStripe(input, init);
    }
    meter.now.tasksOffered += 1;
    return byInference(input, init);
  });
  modelRates();
  const sizes: PretendedSizes = new Map();
  pretend(sizes);
  return { inference, stripe, sizes };
}
