import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { fakeService } from "../support/fake-service.ts";
import { serve } from "../support/serve.ts";
import { controlC, runCli } from "./support/run-cli.ts";

it("webhooks listen prints signed events, reports refused ones, and ends at Ctrl-C", async () => {
  const secret = `whsec_${Buffer.from("a secret of 24 bytes....").toString("base64")}`;
  const { signal, press } = controlC();
  let printed = "";
  const ended = runCli(["webhooks", "listen"], {
    env: {
      SEGMENTATION_BASE_URL: "http://fake.test",
      SEGMENTATION_API_KEY: "sk_live_fake",
      SEGMENTATION_WEBHOOK_SECRET: secret,
    },
    signal,
    onReport: (line) => (printed += line),
  });
  await expect.poll(() => printed, { interval: 5 }).toContain("Listening at");
  const [url = ""] = /http:\S+/.exec(printed) ?? [];
  const at = new Date();
  const timestamp = "2026-11-22T10:00:00.000Z";
  const body = JSON.stringify({ type: "job.succeeded", timestamp, data: { jobId: "job_1" } });
  const post = async (text: string, signature: string): Promise<number> => {
    const headers = {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": signature,
    };
    return (await fetch(url, { method: "POST", headers, body: text })).status;
  };
  const good = new Webhook(secret).sign("evt_1", at, body);
  expect(await post(body, good)).toBe(204);
  expect(await post(body, good)).toBe(204);
  expect(await post(body.replace("job_1", "job_2"), good)).toBe(401);
  expect(await post("x".repeat(1_000_001), good)).toBe(400);
  expect((await fetch(url)).status).toBe(400);
  press();
  const { code, out, err } = await ended;
  expect(code).toBe(0);
  expect(out.split("\n")).toEqual([
    `${timestamp}  job.succeeded  job_1  evt_1`,
    `${timestamp}  job.succeeded  job_1  evt_1  (again)`,
    "",
  ]);
  expect(err).toContain("Rejected a request: its signature is wrong.");
});

it("webhooks listen says how a service elsewhere can reach this machine", async () => {
  const { app } = fakeService();
  const forbidden = { error: "url_forbidden", message: "The URL does not use https." };
  app.post("/v1/webhook-endpoints", (c) => c.json(forbidden, 400));
  const env = { SEGMENTATION_BASE_URL: await serve(app), SEGMENTATION_API_KEY: "sk_live_fake" };
  const { code, err } = await runCli(["webhooks", "listen"], { env });
  expect([code, err]).toEqual([2, expect.stringContaining("such as a tunnel's: --url https://…")]);
  const given = await runCli(["webhooks", "listen", "--url", "http://example.com"], { env });
  expect([given.code, given.err]).toEqual([1, "Error: The URL does not use https.\n"]);
});
