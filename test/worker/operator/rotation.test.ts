import { createExecutionContext, createMessageBatch, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { decodeProtectedHeader, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import type { TaskRequest } from "@segmentation/protocol";
import { rotateSecret } from "../../../scripts/operate/admin/rotate-secret.ts";
import { deriveKey, keyIdOf } from "../../../src/shared/keys.ts";
import { seal } from "../../../src/shared/sealed.ts";
import worker, { WebhookObject } from "../../../src/index.ts";
import type { Env } from "../../../src/env.ts";
import { at } from "../../support/at.ts";
import { answerOf, newClient, type Answer, type Client } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { FakeInference, taskMessage } from "../../support/worker/fakes/inference.ts";
import { imageJob, newJob, uploaded } from "../../support/worker/fixtures/jobs.ts";
import { amount, Draw, isLong } from "../../support/worker/client/random.ts";
import {
  newEndpoint,
  FakeEndpoints,
  type TestEndpoint,
  verified,
} from "../../support/worker/fakes/webhooks.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const { MASTER_SECRET: FIRST, OPERATOR_TOKEN = "" } = home.platform.settings;
const NEXT = "the-secret-that-follows-in-a-rotation-of-43-ch";

/** An instance of the Worker with its settings: the platform runs several with different ones in parallel for a while. */
const instance = (changes: object): Env => Object.assign({}, env, changes);
const before = instance({});
const reading = instance({ MASTER_SECRET_PREVIOUS: NEXT });
const rotated = instance({ MASTER_SECRET: NEXT, MASTER_SECRET_PREVIOUS: FIRST });
const without = instance({ MASTER_SECRET: NEXT });

const ask = async (
  one: Env,
  bearer: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const request = new Request(`https://api.test${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return answerOf(await worker.fetch(request, one, createExecutionContext()));
};

const progress = (one: Env, { callbackToken }: Pick<TaskRequest, "callbackToken">): Promise<Answer> =>
  ask(one, callbackToken, "POST", "/internal/leases/progress", { done: 0, total: 1 });

/** Runs the work of `npm run admin -- rotate-secret` on one instance. */
const reseal = (one: Env) =>
  rotateSecret(
    {
      call: async (method, path, body) => {
        const answer = await ask(one, OPERATOR_TOKEN, method, `/internal/operator${path}`, body);
        expect(answer.status).toBe(200);
        return answer.body;
      },
    },
    () => undefined,
    Date.now(),
  );

/** Sends the due deliveries of an endpoint, on one instance. */
const deliverBy = (one: Env, { endpointId }: TestEndpoint): Promise<void> =>
  runInDurableObject(env.WEBHOOKS.getByName(endpointId), (_, state) => new WebhookObject(state, one).alarm());

const sealedIn = async (): Promise<string[]> => {
  const { results } = await home.DB.prepare("SELECT secrets FROM webhook_endpoints ORDER BY id").all<{
    secrets: string;
  }>();
  return results.map(({ secrets }) => secrets);
};

/** New credentials of each round, which all later rounds use. */
const FRESH = amount({ short: 1, long: 2 });

/** Credentials that one round has received from the service, without an expiry. */
interface Issued {
  readonly task: TaskRequest;
  readonly cursor: string;
  readonly key: string;
  readonly body: object;
  readonly jobId: string;
}

async function issue(one: Env, client: Client, inference: FakeInference): Promise<Issued> {
  const taskId = await uploaded(client);
  const key = crypto.randomUUID();
  const body = imageJob([taskId]);
  const made = await ask(one, client.key, "POST", "/v1/jobs", body, { "idempotency-key": key });
  expect(made.status).toBe(202);
  const { jobId } = made.body;
  const message = { id: "m", timestamp: new Date(), attempts: 1, body: taskMessage(jobId, taskId) };
  await worker.queue(createMessageBatch("segmentation-interactive", [message]), one);
  const task = inference.tasks.find((each) => each.key.startsWith(jobId));
  const page = await ask(one, client.key, "GET", "/v1/jobs?limit=1");
  if (task === undefined) throw new Error("the inference service was not offered the task");
  return { task, cursor: page.body.nextToken, key, body, jobId };
}

/** Uses the issued credentials like their holders. Returns the result of each. */
async function use(one: Env, client: Client, { task, cursor, key, body, jobId }: Issued): Promise<object> {
  const [reported, listed, repeated] = await Promise.all([
    progress(one, task),
    ask(one, client.key, "GET", `/v1/jobs?limit=1&nextToken=${cursor}`),
    ask(one, client.key, "POST", "/v1/jobs", body, { "idempotency-key": key }),
  ]);
  const isSame = repeated.status === 202 && repeated.replayed === "true" && repeated.body.jobId === jobId;
  return { progress: reported.status, list: listed.status, repeat: isSame || repeated.body };
}
const GOOD = { progress: 200, list: 200, repeat: true };

describe("a rotation of the master secret", () => {
  it.runIf(isLong)("refuses no valid token while old and new instances run together [A8-3]", async () => {
    const draw = new Draw();
    const client = await newClient();
    const inference = new FakeInference();
    // Gives each page of one job a next one.
    await newJob(client);
    const endpoints: TestEndpoint[] = [];
    for (let i = 0; i < 3; i += 1) endpoints.push(await newEndpoint(client, `https://receiver.test/${i}`));
    const receivers = new FakeEndpoints(...endpoints);
    const issued: Issued[] = [];

    /** A round of the load, each request on any of the instances. */
    const round = async (instances: readonly Env[]): Promise<void> => {
      const uses = issued.map((each) => use(draw.oneOf(instances), client, each));
      const fresh = Array.from({ length: FRESH }, () => issue(draw.oneOf(instances), client, inference));
      const events = endpoints.map(async (endpoint) => {
        const path = `/v1/webhook-endpoints/${endpoint.endpointId}`;
        if (draw.upTo(5) === 0) await ask(draw.oneOf(instances), client.key, "POST", `${path}/rotate-secret`);
        const sent = await ask(draw.oneOf(instances), client.key, "POST", `${path}/test`);
        expect(sent.status).toBe(202);
        await deliverBy(draw.oneOf(instances), endpoint);
      });
      const [used, made] = await Promise.all([Promise.all(uses), Promise.all(fresh), Promise.all(events)]);
      expect(used).toEqual(used.map(() => GOOD));
      issued.push(...made);
    };

    let rounds = 0;
    for (const instances of [[before], [before, reading], [reading], [reading, rotated], [rotated]]) {
      for (let i = 0; i < 2; i += 1, rounds += 1) await round(instances);
    }
    // The command runs while there is work, and again, until it finds nothing.
    const [first] = await Promise.all([reseal(rotated), round([rotated])]);
    rounds += 1;
    expect(first.exitCode).toBe(0);
    expect((await reseal(rotated)).summary).toMatch(/resealed: 0; unreadable: 0\. Nothing that is stored/);
    const id = await keyIdOf(NEXT);
    for (const sealed of await sealedIn()) expect(decodeProtectedHeader(sealed).kid).toBe(id);

    // The first secret is gone: its signatures are invalid now, and all later ones are still valid.
    for (const each of issued) {
      const isLater = decodeProtectedHeader(each.task.callbackToken).kid === id;
      expect((await progress(without, each.task)).status).toBe(isLater ? 200 : 401);
    }
    expect(await use(without, client, at(issued, issued.length - 1))).toEqual(GOOD);
    expect(decodeProtectedHeader(at(issued, 0).task.callbackToken).kid).toBe(await keyIdOf(FIRST));
    for (const endpoint of endpoints) {
      await ask(without, client.key, "POST", `/v1/webhook-endpoints/${endpoint.endpointId}/test`);
      await deliverBy(without, endpoint);
      // Its first secret has not been valid for a day, where it was rotated; each delivery is signed by that, too.
      const received = receivers.of(endpoint);
      // The object's alarm may also go off, and send one again under its id.
      expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(rounds + 1);
      for (const request of received) expect(verified(endpoint.secret, request).type).toBe("test");
    }
  });

  it("accepts no forged token: of a known key id, of an unknown one, or of a key for something else [A8-3]", async () => {
    const client = await newClient();
    const inference = new FakeInference();
    const { task } = await issue(before, client, inference);
    const claims = { job: task.key.split(".")[0], task: "t.png", lease: 1 };
    const known = await keyIdOf(FIRST);
    const forge = (kid: string | undefined, key: Uint8Array, audience: string) =>
      new SignJWT({ ...claims, after: "x", of: "y" })
        .setProtectedHeader({ alg: "HS256", ...(kid !== undefined && { kid }) })
        .setAudience(audience)
        .sign(key);
    const strange = new Uint8Array(32).fill(7);
    for (const audience of ["lease", "cursor"]) {
      for (const forged of [
        await forge(known, strange, audience),
        await forge("AAAAAAAAAAAA", strange, audience),
        await forge("", strange, audience),
        await forge(undefined, strange, audience),
        // The secret itself is no key.
        await forge(undefined, new TextEncoder().encode(FIRST), audience),
        await forge(
          known,
          await deriveKey(FIRST, audience === "lease" ? "token cursor" : "token lease"),
          audience,
        ),
      ]) {
        for (const one of [before, rotated]) {
          expectError(await progress(one, { callbackToken: forged }), 401, "Unauthorized");
          const list = await ask(one, client.key, "GET", `/v1/jobs?nextToken=${forged}`);
          expectError(list, 400, "invalid_cursor");
        }
      }
    }
  });
});

describe("the secret of a webhook endpoint", () => {
  it("is named and unchanged if it cannot be decrypted; the others no longer need the previous secret [A8-2]", async () => {
    const client = await newClient();
    const endpoint = await newEndpoint(client);
    const lost = await newEndpoint(client, "https://receiver.test/lost");
    const nobodys = { current: "a secret that nobody has", previous: null };
    await home.DB.prepare("UPDATE webhook_endpoints SET secrets = ?2 WHERE id = ?1")
      .bind(lost.endpointId, await seal(nobodys, "any purpose", "[]"))
      .run();
    const run = await reseal(rotated);
    expect(run).toMatchObject({ exitCode: 1, result: [{ endpointId: lost.endpointId }] });
    expect(run.summary).toContain(
      "webhook endpoints: 2; resealed: 1; unreadable: 1. Keep MASTER_SECRET_PREVIOUS until",
    );
    const untouched = await sealedIn();
    expect((await reseal(rotated)).summary).toContain("resealed: 0; unreadable: 1. Nothing");
    expect(await sealedIn()).toEqual(untouched);
    expect((await reseal(without)).summary).toContain("The Worker has no previous secret to remove.");
    const receivers = new FakeEndpoints(endpoint, lost);
    await ask(without, client.key, "POST", `/v1/webhook-endpoints/${endpoint.endpointId}/test`);
    await deliverBy(without, endpoint);
    const received = receivers.of(endpoint);
    expect(received).toHaveLength(1);
    for (const request of received) expect(verified(endpoint.secret, request).type).toBe("test");
  });
});
