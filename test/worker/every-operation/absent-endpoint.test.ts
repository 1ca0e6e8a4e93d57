import { describe, expect, it } from "vitest";
import { newClient } from "../../support/worker/client/api.ts";
import { OF_ONE_ENDPOINT } from "../../support/operation-tables.ts";
import { requestOf } from "../../support/operation-requests.ts";
import { newEndpoint } from "../../support/worker/fakes/webhooks.ts";
import { expectError } from "../../support/worker/client/wire.ts";

/** The answer does not reveal another account's endpoint. */
describe.each(OF_ONE_ENDPOINT)("%s 404", (operation) => {
  it("answers a foreign, an unknown and a malformed endpointId alike, byte for byte [A3-1]", async () => {
    const client = await newClient();
    const foreign = await newEndpoint(await newClient());
    const ids = [foreign.endpointId, `whe_${"0".repeat(32)}`, "whe_1", "%00", "x".repeat(3_000)];
    const answers = await Promise.all(
      ids.map((endpointId) => {
        const { method, path, headers, body } = requestOf(operation, { endpointId });
        return client.send(method, path, body, headers);
      }),
    );
    for (const answer of answers) {
      expectError(answer, 404, "webhook_endpoint_not_found");
      expect(answer.body).toEqual(answers[0]?.body);
    }
  });
});
