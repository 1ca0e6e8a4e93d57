import { beforeEach, describe, expect, it, vi } from "vitest";
import { FakeIdentityProvider } from "../../support/worker/client/access-tokens.ts";
import { type Answer, type Client, newClient, send } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { imageJob, uploads, videoJob } from "../../support/worker/fixtures/jobs.ts";
import { expectError } from "../../support/worker/client/wire.ts";

/** The operations that read the account in the database call of their first statement. */
const OPERATIONS = ["createUploadPresign", "createJob", "createJob with a key"] as const;
type Operation = (typeof OPERATIONS)[number];

let client: Client;
let tasks: string[];
beforeEach(async () => {
  client = await newClient();
  // From here on, this isolate has seen the credential.
  tasks = await uploads(client, 1);
});

const PATHS = {
  createUploadPresign: "/v1/uploads/presign",
  createJob: "/v1/jobs",
  "createJob with a key": "/v1/jobs",
} as const;
const bodyOf = (operation: Operation): object =>
  operation === "createUploadPresign" ? { contentType: "image/png" } : imageJob(tasks);
const perform = (operation: Operation, body = bodyOf(operation)): Promise<Answer> =>
  client.send("POST", PATHS[operation], body, {
    ...(operation === "createJob with a key" && { "idempotency-key": "k" }),
  });

/** Counts the rows of the tables that these operations write. */
const written = async () =>
  await home.DB.prepare(
    `SELECT (SELECT count(*) FROM uploads) AS uploads, (SELECT count(*) FROM jobs) AS jobs,
       (SELECT count(*) FROM ledger) AS entries, (SELECT count(*) FROM idempotency_keys) AS keys`,
  ).first();
const change = (sql: string) => home.DB.prepare(`${sql} = ?1`).bind(client.accountId).run();

/** Counts the batches and statements sent to the database. */
function calls(): () => number {
  const spies = [
    vi.spyOn(Object.getPrototypeOf(home.DB), "batch"),
    vi.spyOn(Object.getPrototypeOf(home.DB.prepare("SELECT 1")), "first"),
  ];
  return () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
}

describe.each(OPERATIONS)("%s, whose account is read with its first statement", (operation) => {
  it.each([
    ["revoked key", "UPDATE api_keys SET revoked_at = 1 WHERE account_id"],
    ["suspended account", "UPDATE accounts SET status = 'suspended' WHERE id"],
  ])("refuses a %s at once, and writes nothing for it [5-5]", async (_, sql) => {
    await change(sql);
    const before = await written();
    expectError(await perform(operation), 401, "Unauthorized");
    expect(await written()).toEqual(before);
  });

  it("refuses a revoked key before it says anything about the request [5-5]", async () => {
    await change("UPDATE api_keys SET revoked_at = 1 WHERE account_id");
    expectError(await perform(operation, { neither: "nor" }), 401, "Unauthorized");
  });

  it("names the error in an accepted account's request", async () => {
    expectError(await perform(operation, { neither: "nor" }), 400, "invalid_request");
  });

  it("follows the account's present rights, not those remembered", async () => {
    await change("UPDATE accounts SET plan = 'blocked' WHERE id");
    const answer = await perform(operation);
    if (operation === "createUploadPresign") expect(answer.status).toBe(200);
    else expectError(answer, 402, "payment_required");
  });

  it("does not begin again after a database failure, because a write may have happened", async () => {
    const failing = vi
      .spyOn(Object.getPrototypeOf(home.DB), "batch")
      .mockRejectedValue(new Error("D1_ERROR: something of its own"));
    const asked = calls();
    expectError(await perform(operation), 500, "internal_error");
    expect(asked()).toBe(1);
    failing.mockRestore();
  });
});

describe("an account that has changed", () => {
  it("is read again once: the next request takes one call again", async () => {
    await change("UPDATE accounts SET units_per_day = 7 WHERE id");
    const asked = calls();
    await perform("createUploadPresign");
    const first = asked();
    await perform("createUploadPresign");
    expect([first, asked() - first]).toEqual([3, 1]);
  });

  it("may do at once what its new plan allows", async () => {
    client = await newClient("trial");
    await uploads(client, 1);
    const [taskId = ""] = tasks;
    expectError(await client.send("POST", "/v1/jobs", videoJob(taskId)), 402, "trial_video_unsupported");
    await change("UPDATE accounts SET plan = 'paid' WHERE id");
    expectError(await client.send("POST", "/v1/jobs", videoJob(taskId)), 403, "task_not_owned");
  });

  it("is accepted by its current access token, and refused once it is suspended [5-5]", async () => {
    const provider = await FakeIdentityProvider.start();
    const tokenOf = (changes: object) => provider.issue({ sub: "ada", ...changes });
    const [token, another] = [await tokenOf({ name: "Ada" }), await tokenOf({ name: "Ada Lovelace" })];
    const presign = (credential: string) =>
      send("POST", "/v1/uploads/presign", {
        headers: { authorization: `Bearer ${credential}`, "content-type": "application/json" },
        body: JSON.stringify({ contentType: "image/png" }),
      });
    const name = () => home.DB.prepare("SELECT name FROM accounts WHERE subject = 'ada'").first("name");
    for (const [credential, expected] of [
      [token, "Ada"],
      [token, "Ada"],
      [another, "Ada Lovelace"],
      [token, "Ada"],
    ] as const) {
      expect((await presign(credential)).status).toBe(200);
      expect(await name()).toBe(expected);
    }
    await home.DB.prepare("UPDATE accounts SET status = 'suspended' WHERE subject = 'ada'").run();
    const before = await written();
    expectError(await presign(token), 401, "Unauthorized");
    expectError(await presign(another), 401, "Unauthorized");
    expect(await written()).toEqual(before);
  });
});
