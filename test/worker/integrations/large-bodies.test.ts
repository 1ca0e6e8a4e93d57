import { describe, expect, it } from "vitest";
import {
  type Answer,
  answerOf,
  type Client,
  fetchWorker,
  newClient,
} from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const ROUTES = ["/api/function_invocations", "/integrations/label-studio/predict", "/mcp"];
/** A body whose every three bytes become thirty. */
const LARGE = `{"image":5,"x":[${"{},".repeat(700_000)}0]}`;

const post = async (client: Client, path: string, isDeclared: boolean): Promise<Answer> => {
  const headers = {
    authorization: path === "/mcp" ? `Bearer ${client.key}` : `Basic ${btoa(`x:${client.key}`)}`,
    "content-type": "application/json",
    "x-nuclio-function-name": "segmentation-interactor",
    ...(isDeclared && { "content-length": String(LARGE.length) }),
  };
  return answerOf(
    await fetchWorker(new Request(`https://api.test${path}`, { method: "POST", headers, body: LARGE })),
  );
};

describe.each(ROUTES)("a body of two megabytes for %s", (path) => {
  it.each([true, false])("is not read for a blocked account (declared: %s)", async (isDeclared) => {
    expectError(await post(await newClient("blocked"), path, isDeclared), 402, "payment_required");
  });

  it.each([true, false])(
    "is put off while the isolate's memory is taken (declared: %s)",
    async (isDeclared) => {
      const client = await newClient();
      const { memory } = home.platform;
      const { promise, resolve } = Promise.withResolvers<void>();
      const others = memory.within("others", Date.now(), () => promise, 80);
      const answer = await post(client, path, isDeclared);
      expectError(answer, 429, "rate_limited");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      resolve();
      await others;
      expectError(await post(client, path, isDeclared), 400, "body_too_large");
    },
  );
});
