import { describe, expect, it } from "vitest";
import { newClient, send } from "../../support/worker/client/api.ts";
import { OPERATION_IDS } from "../../support/operation-tables.ts";
import { requestOf } from "../../support/operation-requests.ts";
import { fakeElsewhere } from "../../support/worker/fakes/elsewhere.ts";
import { FakeStripe } from "../../support/worker/fakes/stripe.ts";

describe("cache-control", () => {
  it.each(OPERATION_IDS)("keeps the answers out of caches, errors too: %s", async (operation) => {
    // Replaces Stripe behind the Worker's fetch: the billing operations call it.
    const stripe = new FakeStripe(fakeElsewhere);
    const { method, path, headers, body } = requestOf(operation);
    const answer = await (await newClient()).send(method, path, body, headers);
    expect(answer.headers.get("cache-control"), `after ${stripe.calls.length} calls of Stripe`).toBe(
      "no-store",
    );
  });

  it("keeps the operator's answers out of caches too", async () => {
    const answer = await send("GET", "/internal/operator/dead-letters");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });
});
