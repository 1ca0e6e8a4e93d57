import { describe, expect, it } from "vitest";
import { databasesOf } from "../../src/env.ts";
import { FakeIdentityProvider } from "../support/worker/client/access-tokens.ts";
import { finishJob, FakeInference } from "../support/worker/fakes/inference.ts";
import { newJob, presign } from "../support/worker/fixtures/jobs.ts";
import type { Client } from "../support/worker/client/api.ts";
import {
  ALL,
  database,
  databasesWith,
  sendIn,
  takeNewAccounts,
  useDatabases,
  withDatabases,
} from "../support/worker/runtime/several.ts";

useDatabases(16);

/** Counts the accounts in each database. */
const spread = (count: number): Promise<(number | null)[]> =>
  Promise.all(
    ALL.slice(0, count).map((name) =>
      database(name).prepare("SELECT count(*) AS n FROM accounts").first<number>("n"),
    ),
  );

describe("the databases of an environment", () => {
  it("are DB and the bindings DB_2, DB_3 and so on, in the order of their numbers", () => {
    const d1 = database("DB");
    const environment = withDatabases(1, {
      DB_10: d1,
      DB_3: "text",
      DB_2: d1,
      DB_X: d1,
      DB_02: d1,
      OTHER_DB: d1,
    });
    expect([...databasesOf(environment).keys()]).toEqual(["DB", "DB_2", "DB_10"]);
  });
});

describe.each([1, 4, 16])("with %i databases", (count) => {
  it("people who sign in for the first time spread evenly, each account whole in one; a job runs through in the last [A9-1]", async () => {
    const environment = withDatabases(count);
    if (count > 1) await takeNewAccounts(ALL.slice(0, count));
    const provider = await FakeIdentityProvider.start();
    const tokens = await Promise.all(Array.from({ length: 2 * count }, () => provider.issue()));
    // Two first requests of each at once make one account.
    const answers = await Promise.all(
      [...tokens, ...tokens].map((token) => sendIn(environment, token, "GET", "/v1/account")),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await spread(count)).toEqual(Array.from({ length: count }, () => 2));

    const last = ALL[count - 1] ?? "DB";
    const places = await Promise.all(
      answers.slice(0, tokens.length).map(({ body }) => databasesWith(body.accountId)),
    );
    expect(places.every((names) => names.length === 1)).toBe(true);
    const index = places.findIndex(([name]) => name === last);
    const accountId: string = answers[index]?.body.accountId;
    const key = tokens[index] ?? "";
    const client: Client = {
      accountId,
      key,
      send: (method, path, body) => sendIn(environment, key, method, path, body),
    };
    await presign(client);
    const inference = new FakeInference();
    const { jobId, taskId } = await newJob(client);
    await finishJob(inference, accountId, jobId, [taskId]);
    expect((await client.send("GET", `/v1/jobs/${jobId}/result`)).status).toBe(200);
    expect((await client.send("GET", "/v1/jobs")).body.items).toEqual([
      expect.objectContaining({ jobId, status: "success" }),
    ]);
    expect(await databasesWith(accountId)).toEqual([last]);
  });
});
