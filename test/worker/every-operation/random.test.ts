import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ErrorObject } from "../../../src/shared/api/error.ts";
import { z } from "zod";
import { COMMON_ERRORS, errorsOf, type Operation } from "../../../src/shared/api/operation.ts";
import { OPERATIONS } from "../../../src/operations.ts";
import { ERROR_CATALOGUE } from "../../../src/shared/errors.ts";
import { Queues } from "../../../src/jobs/store/queues.ts";
import { type Answer, type Client, newClient, send } from "../../support/worker/client/api.ts";
import { newJob, uploaded } from "../../support/worker/fixtures/jobs.ts";
import { newEndpoint, sendTest } from "../../support/worker/fakes/webhooks.ts";
import { OPERATION_IDS } from "../../support/operation-tables.ts";
import { at } from "../../support/at.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { amount, isLong } from "../../support/worker/client/random.ts";
import {
  malformedRequests,
  OWN,
  type RandomRequest,
  SPARE,
  validRequests,
} from "../../support/worker/client/random-requests.ts";
import { type Named, Parameter } from "../../support/operation-requests.ts";
import { successfulJob } from "../../support/worker/fixtures/archives.ts";
import { shareJob } from "../../support/worker/fixtures/shares.ts";
import { fakeElsewhere } from "../../support/worker/fakes/elsewhere.ts";
import { FakeStripe } from "../../support/worker/fakes/stripe.ts";

/** Fewer than an account may send in a minute. */
const BATCH = amount({ short: 100, long: 500 });

/** Requests in batches, different ones for each part. Waiting jobs wake up: a part begins with none. */
const batches = (part: number, numRuns: number): fc.Parameters<[RandomRequest[]]> => ({
  seed: Number(env.SEED) + part,
  numRuns,
  endOnFailure: true,
});
const VALID_BATCHES = amount({ short: 1, long: 4 });
const MALFORMED_BATCHES = amount({ short: 1, long: 2 });
const parts = (count: { short: number; long: number }): number[] =>
  Array.from({ length: amount(count) }, (_, i) => i + 1);

const STATUS_OF = new Map(Object.entries(ERROR_CATALOGUE).map(([code, [status]]) => [code, status]));

/** The errors of a request's form. */
const FORM_ERRORS = [
  "invalid_request",
  "invalid_json",
  "unsupported_content_type",
  "body_too_large",
  "invalid_idempotency_key",
];

/** The placeholders for the account's ids in a request. */
type Names = readonly (readonly [placeholder: string, id: string])[];

const named = (text: string, names: Names): string =>
  names.reduce((rest, [placeholder, id]) => rest.replaceAll(placeholder, id), text);

const sendAs = (client: Client, request: RandomRequest, names: Names = []): Promise<Answer> => {
  const { operation, path, headers, body } = request;
  return send(OPERATIONS[operation].method.toUpperCase(), named(path, names), {
    headers: { ...headers, authorization: `Bearer ${client.key}` },
    ...(body !== null && { body: names.length > 0 ? named(new TextDecoder().decode(body), names) : body }),
  });
};

/**
 * Creates an account with one of everything: an accepted and a successful job, keys, pictures, webhook endpoints, and spare ones.
 */
async function furnishedClient(): Promise<{ client: Client; names: Names }> {
  // A new account for each batch: this test is not about the rate limit.
  const client = await newClient();
  const { jobId, tasks } = await newJob(client, OWN.taskId.length);
  const { jobId: successfulId } = await successfulJob(client);
  await client.send("POST", `/v1/jobs/${successfulId}/download`);
  await shareJob(client, successfulId);
  const { body } = await client.send(
    "POST",
    "/v1/api-keys",
    { label: "second" },
    { "idempotency-key": "second" },
  );
  const endpoint = await newEndpoint(client);
  const { deliveryId } = await sendTest(client, endpoint);
  const own: Record<keyof Named, readonly string[]> = {
    jobId: [jobId, successfulId],
    taskId: tasks,
    keyId: [body.apiKey.keyId],
    endpointId: [endpoint.endpointId],
    deliveryId: [deliveryId],
  };
  const names: Names = [
    ...Parameter.options.flatMap((name) =>
      OWN[name].map((placeholder, i) => [placeholder, at(own[name], i)] as const),
    ),
    [SPARE.jobId, (await newJob(client)).jobId],
    [SPARE.taskId, await uploaded(client)],
    [SPARE.endpointId, (await newEndpoint(client)).endpointId],
  ];
  return { client, names };
}

/** Expects the documented shape: the operation's answer, or an error that is in its list. */
function expectDocumented(request: RandomRequest, { status, headers, body }: Answer): void {
  const operation: Operation = OPERATIONS[request.operation];
  const what = `${request.operation} ${request.path} ${JSON.stringify(body)}`;
  expect(headers.get("x-request-id"), what).toBeTruthy();
  if (status === operation.status) {
    expect((operation.answer ?? z.null()).safeParse(body).error, what).toBeUndefined();
    return;
  }
  if (status === 202 && operation.unfinished !== undefined) {
    expect(operation.unfinished.safeParse(body).error, what).toBeUndefined();
    return;
  }
  const { error } = ErrorObject.parse(body);
  expect([...COMMON_ERRORS, ...errorsOf(operation)], what).toContain(error);
  expect(status, what).toBe(STATUS_OF.get(error));
  expect(status, what).toBeLessThan(500);
}

describe("any request", () => {
  beforeEach(() => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    // A hundred messages are a full batch, which the queues would deliver: this test is not about running jobs.
    vi.spyOn(Queues.prototype, "sendTasks").mockResolvedValue();
  });

  const validParts = parts({ short: 1, long: 10 });
  /** Number of calls of each operation, in all parts. */
  const seen = new Map<string, number>();
  it.each(validParts)(
    "is answered as documented if valid, and never refused for its form: part %i",
    async (part) => {
      const batch = fc.array(validRequests(), { minLength: BATCH, maxLength: BATCH });
      await fc.assert(
        fc.asyncProperty(batch, async (requests) => {
          const { client, names } = await furnishedClient();
          const stripe = new FakeStripe(fakeElsewhere);
          for (const request of requests) {
            const answer = await sendAs(client, request, names);
            expectDocumented(request, answer);
            expect(FORM_ERRORS, JSON.stringify(answer.body)).not.toContain(answer.body?.error);
            if (answer.status < 300) seen.set(request.operation, (seen.get(request.operation) ?? 0) + 1);
          }
          expect(stripe.calls.length).toBeGreaterThan(0);
        }),
        batches(part, VALID_BATCHES),
      );
      // For a few operations one request in six is valid: the short form, or a part, might have none for one.
      if (isLong && part === validParts.at(-1))
        for (const id of OPERATION_IDS) expect(seen.get(id) ?? 0, id).toBeGreaterThan(0);
    },
  );

  it.each(parts({ short: 1, long: 50 }))(
    "is answered with 400 where its form is wrong, and has no effect: part %i",
    async (part) => {
      const batch = fc.array(malformedRequests(), { minLength: BATCH, maxLength: BATCH });
      await fc.assert(
        fc.asyncProperty(batch, async (requests) => {
          const client = await newClient();
          await Promise.all(
            requests.map(async (request) => {
              const answer = await sendAs(client, request);
              expectDocumented(request, answer);
              const text = request.body === null ? "" : new TextDecoder().decode(request.body);
              expect(answer.status, `${request.operation} ${request.path} ${text}`).toBe(400);
              expect(FORM_ERRORS).toContain(answer.body.error);
            }),
          );
        }),
        batches(part, MALFORMED_BATCHES),
      );
      const { results } = await home.DB.prepare(
        `SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM api_keys) AS keys,
              (SELECT count(*) FROM uploads) + (SELECT count(*) FROM jobs) + (SELECT count(*) FROM billing)
                + (SELECT count(*) FROM webhook_endpoints) AS effects`,
      ).all();
      expect(results).toEqual([{ accounts: MALFORMED_BATCHES, keys: MALFORMED_BATCHES, effects: 0 }]);
    },
  );
});
