import { beforeEach, describe, expect, it } from "vitest";
import { newClient, type Client } from "../../support/worker/api.ts";
import { createSession, PlayedStripe } from "../../support/worker/stripe.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("createCheckout 409", () => {
  let stripe: PlayedStripe;
  let client: Client;
  beforeEach(async () => {
    stripe = new PlayedStripe();
    client = await newClient("trial");
  });

  it("refuses a second subscription, also before the first one's webhook has come", async () => {
    const { body } = await createSession(client, "checkout");
    await stripe.press(body.url);
    expectError(await createSession(client, "checkout"), 409, "subscription_exists");
    await stripe.deliverAll();
    expectError(await createSession(client, "checkout"), 409, "subscription_exists");
    expect(stripe.standIn.state.sessions).toHaveLength(1);
  });

  it("refuses it also when the first one is paid at the moment in which its page is to be closed", async () => {
    const { body } = await createSession(client, "checkout");
    stripe.intercept = async (request, pass) => {
      if (request.url.endsWith("/expire")) await stripe.press(body.url);
      return pass();
    };
    expectError(await createSession(client, "checkout"), 409, "subscription_exists");
    expect(stripe.standIn.state.subscriptions).toHaveLength(1);
  });

  it("sends an account in arrears to the portal: past due or unpaid is still a subscription", async () => {
    await stripe.subscribe(client);
    const [subscription] = stripe.standIn.state.subscriptions;
    if (subscription === undefined) throw new Error("there is no subscription");
    stripe.standIn.subscriptions.failPayment(subscription);
    expectError(await createSession(client, "checkout"), 409, "subscription_exists");
    stripe.standIn.subscriptions.giveUp(subscription);
    expectError(await createSession(client, "checkout"), 409, "subscription_exists");
  });
});
