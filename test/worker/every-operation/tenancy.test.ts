import { beforeEach, describe, expect, it } from "vitest";
import { type OperationId, OPERATIONS } from "../../../src/operations.ts";
import type { Operation } from "../../../src/shared/api/operation.ts";
import { present } from "../../support/at.ts";
import { OPERATION_IDS } from "../../support/operation-tables.ts";
import { type Answer, type Client, newClient } from "../../support/worker/client/api.ts";
import { deliverArchive, successfulJob } from "../../support/worker/fixtures/archives.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { uploaded } from "../../support/worker/fixtures/jobs.ts";
import { type Named, namesOf, requestOf, successesOf } from "../../support/operation-requests.ts";
import { shareJob, visit } from "../../support/worker/fixtures/shares.ts";
import { fakeElsewhere } from "../../support/worker/fakes/elsewhere.ts";
import { createSession, FakeStripe } from "../../support/worker/fakes/stripe.ts";
import { asTimePasses, later } from "../../support/worker/runtime/time.ts";
import { newEndpoint, sendTest } from "../../support/worker/fakes/webhooks.ts";

/** An account with one of everything, and the data that no other account may see. */
interface Tenant {
  readonly client: Client;
  readonly own: Named;
  readonly traces: string[];
}

async function newTenant(): Promise<Tenant> {
  const client = await newClient();
  const { jobId } = await successfulJob(client);
  await client.send("POST", `/v1/jobs/${jobId}/download`);
  await deliverArchive(jobId);
  await client.send("POST", `/v1/jobs/${jobId}/share`, { showInputs: true });
  const made = await client.send("POST", "/v1/api-keys", { label: "mine" }, { "idempotency-key": "mine" });
  const endpoint = await newEndpoint(client);
  const own = {
    jobId,
    keyId: String(made.body.apiKey.keyId),
    taskId: await uploaded(client),
    endpointId: endpoint.endpointId,
    deliveryId: (await sendTest(client, endpoint)).deliveryId,
  };
  return { client, own, traces: [client.accountId, ...Object.values(own)] };
}

const takesAway = (id: OperationId): number =>
  id.startsWith("delete") ? 2 : Number(id.startsWith("revoke"));
/** In this order each finds the things that it names; but an upload that has a job is not deleted. */
const NAMING_ONE = OPERATION_IDS.filter((id) => namesOf(id).length > 0).toSorted(
  (a, b) => takesAway(a) - takesAway(b),
);

/** The operations that create a job of an upload. */
const CREATING: ReadonlySet<OperationId> = new Set(["createJob", "segment"]);

const ask = (client: Client, operation: OperationId, named: Partial<Named>): Promise<Answer> => {
  const { method, path, headers, body } = requestOf(operation, named);
  const { query }: Operation = OPERATIONS[operation];
  const inQuery = new URLSearchParams(Object.entries(named).filter(([name]) => name in (query?.shape ?? {})));
  return asTimePasses(client.send(method, `${path}?${inQuery.toString()}`, body, headers));
};

describe("two accounts", () => {
  let ada: Tenant;
  let bob: Tenant;
  beforeEach(async () => {
    // Pending deliveries of the endpoints are not sent by themselves then.
    later(86_400_000);
    ada = await newTenant();
    bob = await newTenant();
    const stripe = new FakeStripe(fakeElsewhere);
    await createSession(bob.client, "checkout");
    bob.traces.push(stripe.customerOf(bob.client));
  });

  async function expectOwnAlone(operation: OperationId): Promise<void> {
    const answer = await ask(ada.client, operation, ada.own);
    expect(answer.status, operation).toBeOneOf(successesOf(operation));
    const text = JSON.stringify(answer.body);
    for (const trace of bob.traces) expect(text, operation).not.toContain(trace);
  }

  it("get their own, and no trace of the other's, from all operations that name nothing", async () => {
    for (const id of OPERATION_IDS) if (namesOf(id).length === 0) await expectOwnAlone(id);
  });

  it.each([
    ["createJob", ["createJob"]],
    ["segment", ["segment"]],
    ["all others", NAMING_ONE.filter((id) => !CREATING.has(id))],
  ] satisfies [string, OperationId[]][])(
    "get their own, and no trace of the other's, which is answered for as for what is not there, byte for byte: %s [5-7 4.3-31 A2-14]",
    async (_, operations) => {
      for (const operation of operations) {
        const name = present(namesOf(operation)[0], "name");
        const foreign = await ask(ada.client, operation, { [name]: bob.own[name] });
        const absent = await ask(ada.client, operation, {
          [name]: bob.own[name].replace(/[0-9a-f]{7}(?=\.|$)/, "0000000"),
        });
        expect(foreign.status, operation).toBe(absent.status);
        expect(foreign.status === 200 ? foreign.body.items : foreign.status, operation).toEqual(
          operation === "listJobs" ? [] : CREATING.has(operation) ? 403 : 404,
        );
        expect(JSON.stringify(foreign.body), operation).toBe(JSON.stringify(absent.body));

        await expectOwnAlone(operation);
        const unhurt = await ask(bob.client, operation, bob.own);
        expect(unhurt.status, operation).toBeOneOf(successesOf(operation));
      }
    },
  );

  it("may use the same Idempotency-Key without knowing of each other", async () => {
    for (const operation of OPERATION_IDS.filter((id) => "idempotencyKey" in OPERATIONS[id])) {
      const answers = await Promise.all(
        [ada, bob].map(async ({ client, own }) => {
          const { method, path, headers, body } = requestOf(operation, own);
          return asTimePasses(client.send(method, path, body, { ...headers, "idempotency-key": "the same" }));
        }),
      );
      for (const { status, replayed } of answers) {
        expect(status, operation).toBeOneOf(successesOf(operation));
        expect(replayed, operation).toBeNull();
      }
      expect(answers[0]?.body, operation).not.toEqual(answers[1]?.body);
    }
  });

  it("get signed addresses of their files alone [4.5-1]", async () => {
    const { body } = await ask(ada.client, "retrieveJobResult", ada.own);
    const signed: string[] = body.assets.map((asset: { url: string }) => asset.url);
    expect(signed.length).toBeGreaterThan(0);
    for (const url of signed) expect(new URL(url).pathname).toContain(`/${ada.client.accountId}/`);
  });
});

/** The status that a link gets for a further job that it shows and that has a separate link, by operation. */
const FURTHER_BY_LINK: Partial<Record<OperationId, number>> = {
  retrieveJob: 200,
  streamJobEvents: 200,
  retrieveJobResult: 200,
  // Only the further job's link may show its annotations.
  retrieveJobAnnotations: 403,
  // The share of the further job is available only by its link.
  retrieveShare: 404,
};

it("the links of a job and of its continuation each show only their own share [A23-5 A23-9]", async () => {
  const byLink = OPERATION_IDS.filter((id) => "byLink" in OPERATIONS[id]);
  expect(Object.keys(FURTHER_BY_LINK)).toEqual(byLink);
  const client = await newClient();
  const [first, further, other] = [
    await successfulJob(client),
    await successfulJob(client),
    await successfulJob(client),
  ];
  const plain = await shareJob(client, first.jobId, { showAnnotations: true });
  const full = await shareJob(client, further.jobId, { showInputs: true, showAnnotations: true });
  const show = (jobId: string, others: readonly string[]) =>
    home.DB.prepare("UPDATE shares SET further = ?2 WHERE job_id = ?1")
      .bind(jobId, JSON.stringify(others))
      .run();
  await show(first.jobId, [further.jobId]);
  await show(further.jobId, [first.jobId, other.jobId]);

  for (const operation of byLink) {
    const askAs = ({ token }: typeof plain, { jobId }: typeof first): Promise<Answer> => {
      const { method, path } = requestOf(operation, { jobId });
      return visit(token, path, method);
    };
    for (const [link, own, seen] of [
      [plain, first, further],
      [full, further, first],
    ] as const) {
      expect((await askAs(link, own)).status, operation).toBe(200);
      const { status, body } = await askAs(link, seen);
      expect(status, operation).toBe(FURTHER_BY_LINK[operation]);
      for (const trace of ["/inputs/", other.jobId, "showInputs"])
        expect(JSON.stringify(body), operation).not.toContain(trace);
    }
    expect((await askAs(plain, other)).status, operation).toBe(401);
  }
});
