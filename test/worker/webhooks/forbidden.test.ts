import { beforeEach, describe, expect, it } from "vitest";
import { newClient, type Client } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { amount } from "../../support/worker/client/random.ts";
import {
  createEndpoint,
  deliveriesOf,
  newEndpoint,
  FakeEndpoints,
  ringEndpoint,
  sendTest,
} from "../../support/worker/fakes/webhooks.ts";
import { expectError } from "../../support/worker/client/wire.ts";

/** URLs that webhooks must not reach. test/unit/shared/public-url.test.ts has many more, and the rule itself. */
const FORBIDDEN = [
  // This machine, by IPv4 in all spellings of the URL standard.
  "https://127.0.0.1/",
  "https://127.1/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0177.0.0.1/",
  "https://127.0.0.1./",
  "https://%31%32%37.0.0.1/",
  "https://0.0.0.0/",
  "https://0/",
  "https://127.0.0.1:8443/",
  // Private, link-local, shared and other ranges that are not public.
  "https://10.0.0.1/",
  "https://172.16.0.1/",
  "https://172.31.255.255/",
  "https://192.168.1.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://2852039166/",
  "https://100.64.0.1/",
  "https://224.0.0.1/",
  "https://255.255.255.255/",
  "https://192.0.2.1/",
  // IPv6, and IPv4 inside of it.
  "https://[::1]/",
  "https://[0:0:0:0:0:0:0:1]:8443/",
  "https://[::]/",
  "https://[fe80::1]/",
  "https://[fc00::1]/",
  "https://[fd12:3456:789a::1]/",
  "https://[ff02::1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:a00:1]/",
  "https://[64:ff9b::10.0.0.1]/",
  "https://[2002:7f00:1::]/",
  // Names of no public host.
  "https://localhost/",
  "https://LOCALHOST./",
  "https://api.localhost/",
  "https://printer.local/",
  "https://metadata.google.internal/",
  "https://intranet/",
  // Credentials, other protocols, and the service itself.
  "https://user@receiver.test/",
  "https://user:secret@receiver.test/",
  "https://receiver.test@127.0.0.1/",
  "http://receiver.test/",
  "http://127.0.0.1:8787/",
  "ftp://receiver.test/",
  "https://api.test/v1/jobs",
  "https://API.TEST.:8443/",
];

/** All of them are also refused at an endpoint's creation: the short form checks every fifth. */
const SOME = FORBIDDEN.filter((_, i) => i % amount({ short: 5, long: 1 }) === 0);

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

describe("an address that no webhook goes to", () => {
  it("is refused, each of 45, when an endpoint is created and when it is changed [A3-20]", async () => {
    expect(FORBIDDEN).toHaveLength(45);
    const { endpointId, url } = await newEndpoint(client);
    for (const forbidden of FORBIDDEN) {
      const created = await createEndpoint(client, { url: forbidden });
      expectError(created, 400, "url_forbidden", forbidden);
      const path = `/v1/webhook-endpoints/${endpointId}`;
      expectError(await client.send("PATCH", path, { url: forbidden }), 400, "url_forbidden", forbidden);
    }
    const { body } = await client.send("GET", "/v1/webhook-endpoints");
    expect(body.items).toMatchObject([{ endpointId, url }]);
  });

  it("is refused at each delivery, if an endpoint has it anyway [A3-20]", async () => {
    const endpoint = await newEndpoint(client);
    const endpoints = new FakeEndpoints(endpoint, ...FORBIDDEN.map((url) => ({ ...endpoint, url })));
    for (const forbidden of SOME) {
      await home.DB.prepare("UPDATE webhook_endpoints SET url = ?1").bind(forbidden).run();
      await sendTest(client, endpoint);
      await ringEndpoint(endpoint);
    }
    expect(endpoints.received).toEqual([]);
    const deliveries = await deliveriesOf(client, endpoint);
    expect(deliveries).toHaveLength(SOME.length);
    for (const [i, { attempts }] of deliveries.toReversed().entries())
      expect(attempts, SOME[i]).toMatchObject([{ status: null, error: "url_forbidden" }]);
  });

  it("is not reached by a redirect [A3-20]", async () => {
    const endpoint = await newEndpoint(client);
    const endpoints = new FakeEndpoints(endpoint, ...FORBIDDEN.map((url) => ({ ...endpoint, url })));
    for (const location of SOME) {
      await sendTest(client, endpoint);
      endpoints.answer(endpoint, () => new Response(null, { status: 307, headers: { location } }));
      await ringEndpoint(endpoint);
    }
    expect(endpoints.received).toHaveLength(SOME.length);
    expect(endpoints.of(endpoint)).toHaveLength(SOME.length);
    for (const { redirect } of endpoints.received) expect(redirect).toBe("manual");
  });
});
