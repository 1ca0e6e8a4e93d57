import { beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { CreatedApiKey } from "../../../src/accounts/contract/api-key.ts";
import { BillingUrl } from "../../../src/billing/contract/billing.ts";
import { ServiceError } from "../../../src/shared/errors.ts";
import { once, type Outcome } from "../../../src/shared/api/idempotency.ts";
import { LEASE_MS, REMEMBERED_MS } from "../../../src/shared/storage/idempotency-keys.ts";
import { createKey } from "../../support/worker/client/api-keys.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { later, PATIENT } from "../../support/worker/runtime/time.ts";

const rows = () => home.DB.prepare("SELECT count(*) AS n FROM idempotency_keys").first("n");

describe("a request with an Idempotency-Key", () => {
  let client: Client;
  let made: string[];
  beforeEach(async () => {
    client = await newClient();
    made = [];
  });

  /** Creates an effect with an id, as the operations do. */
  const make = (effectId: string): Promise<Outcome<string>> => {
    made.push(effectId);
    return Promise.resolve({ answer: effectId, remembered: effectId });
  };

  const request = (changes: object = {}) => ({
    accountId: client.accountId,
    operation: "createApiKey",
    key: "k",
    body: { a: 1, b: [{ c: null }] },
    ...changes,
  });

  const perform = (changes: object = {}, run = make) =>
    once(home.platform, request(changes), () => crypto.randomUUID(), z.string(), run);

  const refusal = async (performed: Promise<unknown>) => {
    const error: unknown = await performed.catch((thrown: unknown) => thrown);
    if (!(error instanceof ServiceError)) throw new Error("a ServiceError was expected");
    return error;
  };

  it("runs once; a repetition gets the first answer, for any order of its fields", async () => {
    const first = await perform();
    expect(first.replayed).toBe(false);
    expect(await perform()).toEqual({ answer: first.answer, replayed: true });
    expect(await perform({ body: { b: [{ c: null }], a: 1 } })).toEqual({
      answer: first.answer,
      replayed: true,
    });
    expect(made).toHaveLength(1);
  });

  it("is refused if the key came with another body, down to the order of a list", async () => {
    await perform({ body: { a: ["x", "y"] } });
    for (const body of [{ a: ["y", "x"] }, { a: ["x"] }, {}, null, { a: ["x", "y"], b: 1 }]) {
      expect(await refusal(perform({ body }))).toMatchObject({ code: "idempotency_mismatch", status: 409 });
    }
    expect(made).toHaveLength(1);
  });

  it("is asked to retry while the first is running, or refused if its body differs [4.10-17]", async () => {
    const { promise, resolve } = Promise.withResolvers<Outcome<string>>();
    let begun = () => {};
    const running = new Promise<void>((tell) => (begun = tell));
    const first = perform({}, () => {
      begun();
      return promise;
    });
    await running;
    const waiting = await refusal(perform());
    expect(waiting).toMatchObject({ code: "idempotency_in_progress", status: 409 });
    expect(waiting.hints.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(await refusal(perform({ body: {} }))).toMatchObject({ code: "idempotency_mismatch" });
    resolve({ answer: "first", remembered: "later" });
    expect(await first).toEqual({ answer: "first", replayed: false });
    expect(await perform()).toEqual({ answer: "later", replayed: true });
  });

  it("is another request for another account, operation or key, and each time if there is no key [4.10-18]", async () => {
    const { accountId } = await newClient();
    await perform();
    for (const other of [
      { accountId },
      { operation: "createCheckout" },
      { key: "K" },
      { key: undefined },
      { key: undefined },
    ]) {
      expect((await perform(other)).replayed).toBe(false);
    }
    expect(new Set(made).size).toBe(6);
    expect(await rows()).toBe(4);
  });

  it("is remembered for 24 hours, and then is new, with any body [4.10-18]", async () => {
    const start = Date.now();
    const first = await perform();
    vi.useFakeTimers({ now: start + REMEMBERED_MS - 1_000, toFake: ["Date"] });
    expect(await perform()).toEqual({ answer: first.answer, replayed: true });
    later(2_000);
    const second = await perform({ body: {} });
    expect(second).toMatchObject({ replayed: false });
    expect(second.answer).not.toBe(first.answer);
    later(REMEMBERED_MS - 10_000);
    expect(await perform({ body: {} })).toEqual({ answer: second.answer, replayed: true });
  });

  it("is swept when it is no longer remembered", async () => {
    await perform();
    await home.platform.idempotency.purge(Date.now() + REMEMBERED_MS - 1_000, 10);
    expect(await rows()).toBe(1);
    await home.platform.idempotency.purge(Date.now() + REMEMBERED_MS, 10);
    expect(await rows()).toBe(0);
  });

  describe("that fails", () => {
    it("leaves nothing behind after an error of the catalog: the next one runs again, with any body", async () => {
      const fail = (effectId: string): Promise<never> => {
        made.push(effectId);
        return Promise.reject(new ServiceError("enqueue_failed"));
      };
      expect(await refusal(perform({}, fail))).toMatchObject({ code: "enqueue_failed" });
      expect(await rows()).toBe(0);
      expect(await perform({ body: {} })).toMatchObject({ replayed: false });
      expect(made[1]).not.toBe(made[0]);
    });

    it("with any other error may have had its effect: the next one runs at once, for the same effect", async () => {
      const fail = (effectId: string): Promise<never> => {
        made.push(effectId);
        return Promise.reject(new Error("the database went away"));
      };
      await expect(perform({}, fail)).rejects.toThrow("went away");
      expect(await refusal(perform({ body: {} }))).toMatchObject({ code: "idempotency_mismatch" });
      expect(await perform()).toMatchObject({ replayed: false });
      expect(made[1]).toBe(made[0]);
      expect(await perform()).toMatchObject({ replayed: true });
    });

    it("to remember its answer still gives it; a repetition makes the same again", async () => {
      const complete = vi
        .spyOn(home.platform.idempotency, "complete")
        .mockRejectedValueOnce(new Error("away"));
      expect(await perform()).toMatchObject({ answer: made[0], replayed: false });
      expect(complete).toHaveBeenCalledOnce();
      later(LEASE_MS + 1);
      expect(await perform()).toMatchObject({ answer: made[0], replayed: false });
    });
  });

  describe("whose Worker dies", () => {
    const die = () => {
      void perform({}, (effectId) => {
        made.push(effectId);
        return new Promise(() => {});
      });
      return vi.waitFor(() => expect(made).toHaveLength(1), PATIENT);
    };

    it("keeps its key for the lease, then is taken over for the same effect, by one of many", async () => {
      await die();
      later(LEASE_MS - 1_000);
      expect(await refusal(perform())).toMatchObject({ code: "idempotency_in_progress" });
      later(2_000);
      expect(await refusal(perform({ body: {} }))).toMatchObject({ code: "idempotency_mismatch" });
      const ends = await Promise.allSettled(Array.from({ length: 20 }, () => perform()));
      expect(made).toEqual([made[0], made[0]]);
      expect(ends.filter((end) => end.status === "fulfilled" && !end.value.replayed)).toHaveLength(1);
    });

    it("cannot undo or overwrite its successor's work after being slow", async () => {
      let wake: (outcome: Outcome<string> | Error) => void = () => {};
      const slow = perform({}, (effectId) => {
        made.push(effectId);
        return new Promise((resolve, reject) => {
          wake = (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome));
        });
      });
      await vi.waitFor(() => expect(made).toHaveLength(1), PATIENT);
      later(LEASE_MS + 1);
      const second = await perform();
      wake({ answer: "slow", remembered: "slow" });
      expect(await slow).toEqual({ answer: "slow", replayed: false });
      expect(await perform()).toEqual({ answer: second.answer, replayed: true });
    });

    it("after a day is new", async () => {
      await die();
      later(REMEMBERED_MS + 1);
      expect(await perform({ body: {} })).toMatchObject({ replayed: false });
      expect(made[1]).not.toBe(made[0]);
    });

    it("makes no second API key, and says that the first one's secret is lost", async () => {
      const platform = home.platform;
      vi.spyOn(platform.idempotency, "complete").mockRejectedValueOnce(new Error("cut off"));
      const first = await createKey(client, { label: "laptop" }, "lost");
      later(LEASE_MS + 1);
      const again = await createKey(client, { label: "laptop" }, "lost");
      expect(again).toMatchObject({ status: 201, replayed: null });
      expect(CreatedApiKey.parse(again.body)).toEqual({ apiKey: first.body.apiKey, secretUnavailable: true });
    });
  });

  describe("whose answer is remembered", () => {
    const url = "https://billing.test/session/a-secret-of-its-own";
    const portal = (changes: object = {}) =>
      once(
        home.platform,
        request({ operation: "createBillingPortal", ...changes }),
        () => "e",
        BillingUrl,
        () => Promise.resolve({ answer: { url }, remembered: { url } }),
      );

    it("keeps it sealed", async () => {
      await portal();
      const answer = await home.DB.prepare("SELECT answer FROM idempotency_keys").first<string>("answer");
      expect(answer).toMatch(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/);
      const plain = answer?.split(".").map((part) => atob(part.replaceAll("-", "+").replaceAll("_", "/")));
      expect(plain?.[0]).toMatch(/^\{"alg":"dir","enc":"A256GCM","kid":"[\w-]{12}"\}$/);
      expect(plain?.join()).not.toContain("billing.test");
      expect((await portal()).answer).toEqual({ url });
    });

    it("shows it to no other request, and refuses if it can't be read", async () => {
      await portal();
      await portal({ key: "other" });
      await home.DB.prepare(
        `UPDATE idempotency_keys SET answer =
           (SELECT answer FROM idempotency_keys WHERE key = 'other') WHERE key = 'k'`,
      ).run();
      expect(await refusal(portal())).toMatchObject({ code: "idempotency_mismatch" });
    });
  });
});
