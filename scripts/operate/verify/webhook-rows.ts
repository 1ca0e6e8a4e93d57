import { SegmentationError } from "segmentation-client/node";
import { Webhook } from "standardwebhooks";
import { LeftOut, NO_LOCAL_URLS, type Row, Wrong } from "./row.ts";
import { seconds, within, type World } from "./world.ts";

/** Makes an endpoint that gets nothing but the test event that is sent to it, and returns its id and secret. */
async function sendTest({ client: { api }, made, signal }: World, url: string) {
  const input = { url, events: ["archive.failed" as const], description: "npm run verify" };
  signal.throwIfAborted();
  const { endpoint, secret } = await api.createWebhookEndpoint(input);
  const { endpointId } = endpoint;
  made.endpoints.add(endpointId);
  await api.testWebhookEndpoint({ endpointId }, { signal });
  return { endpointId, secret };
}

/** The attempts at an endpoint's only delivery. */
async function attemptsOf({ client, signal }: World, endpointId: string) {
  const { items } = await client.api.listWebhookDeliveries({ endpointId }, { signal });
  return items[0]?.attempts.filter(({ milliseconds }) => milliseconds !== null) ?? [];
}

/** The delay before a second attempt is five seconds. */
const RETRY_MS = 5_000;

/** Rows about requests that the service sends on its own, now and later. */
export const WEBHOOK_ROWS: readonly Row[] = [
  {
    name: "a webhook",
    mend: "see that the address answers POST requests from the Internet with 2xx; docs/webhooks.md says what is sent",
    run: async (world) => {
      const url = world.named.webhookUrl ?? world.local?.server.url("/webhook");
      if (url === undefined)
        throw new LeftOut("name an address that takes POST requests: --webhook-url https://…");
      const { endpointId, secret } = await sendTest(world, url).catch((error: unknown) => {
        const isForbidden = error instanceof SegmentationError && error.code === "url_forbidden";
        throw isForbidden && world.local !== null ? new LeftOut(NO_LOCAL_URLS) : error;
      });
      const first = await within(
        world.form.patienceMs / 4,
        async () => (await attemptsOf(world, endpointId))[0] ?? null,
        world.signal,
      );
      if (first === null) throw new Wrong(`nothing was sent within ${seconds(world.form.patienceMs / 4)}`);
      const { status, error, milliseconds } = first;
      if (status === null || status >= 300) throw new Wrong(`${url} answers ${status ?? error}`);
      verifySignature(world, secret);
      return `${url} answers ${status} after ${milliseconds} ms`;
    },
  },
  {
    name: "an alarm in the future",
    mend: "an object's alarm did not fire: see the errors of WebhookObject in the log, and Cloudflare's status of Durable Objects",
    run: async (world) => {
      // Nobody answers there (RFC 6761, 6.4), so the object's alarm tries again.
      const url = `https://${crypto.randomUUID()}.invalid/`;
      const { endpointId } = await sendTest(world, url);
      const two = await within(
        world.form.patienceMs / 4,
        async () => {
          const attempts = await attemptsOf(world, endpointId);
          return attempts.length >= 2 ? attempts : null;
        },
        world.signal,
      );
      if (two === null)
        throw new Wrong(
          `an attempt that failed was not repeated within ${seconds(world.form.patienceMs / 4)}`,
        );
      const [first = 0, second = 0] = two
        .map(({ attemptedAt }) => Date.parse(attemptedAt))
        .toSorted((a, b) => a - b);
      const after = second - first;
      if (after < RETRY_MS) throw new Wrong(`a second attempt came after ${seconds(after)}, before its time`);
      return `a second attempt came ${seconds(after)} after the first; set for ${seconds(RETRY_MS)} after its end`;
    },
  },
];

/** If the receiver is on this machine, checks the received requests as a customer would. */
function verifySignature({ local, named }: World, secret: string | undefined): void {
  const received = local?.server.received[0];
  if (named.webhookUrl !== undefined || received === undefined || secret === undefined) return;
  try {
    new Webhook(secret).verify(received.body, received.headers);
  } catch {
    throw new Wrong("its signature is not that of the endpoint's secret");
  }
}
