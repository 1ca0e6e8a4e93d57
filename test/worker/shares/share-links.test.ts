import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { OPERATIONS } from "../../../src/operations.ts";
import type { Operation } from "../../../src/shared/api/operation.ts";
import { generateShareToken, MOST_LINK_REQUESTS_PER_DAY } from "../../../src/accounts/rules/share-token.ts";
import { dayOf, secondsToNextDay } from "../../../src/billing/rules/usage.ts";
import { eraseAccount } from "../../../src/operator/operations/erase-account.ts";
import { type Client, newClient, send } from "../../support/worker/client/api.ts";
import { successfulJob } from "../../support/worker/fixtures/archives.ts";
import { CRONS, logged, runCron } from "../../support/worker/runtime/crons.ts";
import { requestOf } from "../../support/operation-requests.ts";
import { OPERATION_IDS } from "../../support/operation-tables.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { shareJob, visit } from "../../support/worker/fixtures/shares.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const BY_LINK = OPERATION_IDS.filter((id) => (OPERATIONS[id] as Operation).byLink === true);
const OTHERS = OPERATION_IDS.filter((id) => !BY_LINK.includes(id));

let client: Client;
let jobId: string;
let tasks: string[];
let token: string;
beforeEach(async () => {
  client = await newClient();
  ({ jobId, tasks } = await successfulJob(client));
  ({ token } = await shareJob(client, jobId, { showInputs: true, showAnnotations: true }));
});

const PATHS = ["", "/events", "/result", "/annotations", "/share"];
const paths = (of = jobId): string[] => PATHS.map((path) => `/v1/jobs/${of}${path}`);

async function expectEnded(): Promise<void> {
  for (const path of paths()) expectError(await visit(token, path), 401, "Unauthorized", path);
}

describe("the holder of a link", () => {
  it("sees the status, the result and the uploads of the one job, as its account does [A23-9]", async () => {
    expect(BY_LINK).toEqual([
      "retrieveJob",
      "streamJobEvents",
      "retrieveJobResult",
      "retrieveJobAnnotations",
      "retrieveShare",
    ]);
    const ignoringSignatures = (body: unknown) =>
      JSON.parse(JSON.stringify(body).replaceAll(/X-Amz-(Date|Signature)=\w+/g, ""));
    for (const path of paths()) {
      const [theirs, own] = [await visit(token, path), await client.send("GET", path)];
      expect(theirs.status, path).toBe(200);
      expect(ignoringSignatures(theirs.body), path).toEqual(ignoringSignatures(own.body));
      expect(theirs.headers.get("cache-control")).toBe("no-store");
    }
  });

  it("sees nothing of the account except its opaque id in signed URLs [A23-9]", async () => {
    const other = await successfulJob(client);
    const answers = await Promise.all(paths().map((path) => visit(token, path)));
    const text = JSON.stringify(answers.map(({ body }) => body));
    for (const trace of [`${client.accountId}@`, "sk_live_", other.jobId, ...other.tasks, token])
      expect(text).not.toContain(trace);
    expect(text.replaceAll(/"https:[^"]+"/g, "")).not.toContain(client.accountId);
    for (const [url] of text.matchAll(/https:[^"]+/g))
      expect(new URL(url).pathname).toMatch(
        new RegExp(`/(outputs/${client.accountId}/${jobId}/|inputs/${client.accountId}/${tasks[0]}$)`),
      );
  });

  it.each(OTHERS)("can't do anything else, and changes nothing: %s [A23-10]", async (operation) => {
    const before = await env.MEDIA.list();
    const { method, path, headers, body } = requestOf(operation, { jobId, taskId: tasks[0] ?? "" });
    const init = { headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    expectError(await visit(token, path, method, init), 401, "Unauthorized");
    expect((await client.send("GET", `/v1/jobs/${jobId}/result`)).status).toBe(200);
    expect((await env.MEDIA.list()).objects.length).toBe(before.objects.length);
    expect((await visit(token, `/v1/jobs/${jobId}/share`)).status).toBe(200);
  });

  it("can't use the protocols of other tools [A23-10]", async () => {
    overrideSettings({ LABEL_STUDIO: true, CVAT: true });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const mcp = await visit(token, "/mcp", "POST", { headers: json, body: JSON.stringify(list) });
    expect(mcp.status).toBe(401);
    const basic = { authorization: `Basic ${btoa(`share:${token}`)}` };
    for (const path of [
      "/integrations/label-studio/health",
      "/integrations/cvat/api/functions",
      "/api/functions",
    ])
      expect((await send("GET", path, { headers: basic })).status, path).toBe(401);
  });

  it("can't see another job, of the same account or of another, and gets the answer that a wrong token gets, byte for byte [A23-10]", async () => {
    const same = await successfulJob(client);
    const theirs = await successfulJob(await newClient());
    const wrong = await visit(generateShareToken(), `/v1/jobs/${jobId}`);
    expectError(wrong, 401, "Unauthorized");
    for (const id of [
      same.jobId,
      theirs.jobId,
      `job_${"0".repeat(32)}`,
      `${jobId}0`,
      jobId.toUpperCase(),
      "x".repeat(9_000),
    ])
      for (const path of paths(id)) {
        const answer = await visit(token, path);
        expectError(answer, 401, "Unauthorized", path);
        expect(answer.body).toEqual(wrong.body);
      }
    // Their attempts don't close the link for its other users.
    for (const path of paths()) expect((await visit(token, path)).status, path).toBe(200);
  });

  it("can't see a further job by the link of the first after the first is gone [A23-11]", async () => {
    const further = await successfulJob(client);
    await home.DB.prepare("UPDATE shares SET further = ?2 WHERE job_id = ?1")
      .bind(jobId, JSON.stringify([further.jobId]))
      .run();
    expect((await visit(token, `/v1/jobs/${further.jobId}`)).status).toBe(200);
    await client.send("DELETE", `/v1/jobs/${jobId}`);
    expectError(await visit(token, `/v1/jobs/${further.jobId}`), 401, "Unauthorized");
  });
});

describe("a link ends", () => {
  it("at its end [A23-11]", async () => {
    ({ token } = await shareJob(client, jobId, { expiresIn: 60 }));
    later(59_000);
    expect((await visit(token, `/v1/jobs/${jobId}`)).status).toBe(200);
    later(1_000);
    await expectEnded();
  });

  it("when it is revoked; not when another account tries to [A23-11]", async () => {
    const other = await newClient();
    expectError(await other.send("DELETE", `/v1/jobs/${jobId}/share`), 404, "share_not_found");
    expectError(await other.send("GET", `/v1/jobs/${jobId}/share`), 404, "share_not_found");
    expect((await visit(token, `/v1/jobs/${jobId}`)).status).toBe(200);
    await client.send("DELETE", `/v1/jobs/${jobId}/share`);
    await expectEnded();
  });

  it("with its job [A23-11]", async () => {
    await client.send("DELETE", `/v1/jobs/${jobId}`);
    await expectEnded();
  });

  it("when its account is suspended, and works again once the account is resumed [A23-11]", async () => {
    const set = (status: string) =>
      home.DB.prepare("UPDATE accounts SET status = ?2 WHERE id = ?1").bind(client.accountId, status).run();
    await set("suspended");
    await expectEnded();
    await set("active");
    // A credential stays refused for ten seconds.
    later(10_000);
    expect((await visit(token, `/v1/jobs/${jobId}`)).status).toBe(200);
  });

  it("as soon as the erasure of its account begins, which leaves no trace of it [A23-11]", async () => {
    await home.platform.erasures.begin(client.accountId, Date.now());
    await expectEnded();
    await eraseAccount(home.platform, client.accountId, Date.now());
    expect(await home.DB.prepare("SELECT count(*) AS n FROM shares").first("n")).toBe(0);
  });

  it("and the sweep deletes only ended ones [A23-11]", async () => {
    const other = await successfulJob(client);
    await shareJob(client, other.jobId, { expiresIn: 60 });
    later(61_000);
    await runCron(CRONS.sweep);
    const { results } = await home.DB.prepare("SELECT job_id FROM shares").all();
    expect(results).toEqual([{ job_id: jobId }]);
  });
});

describe("guessing a link", () => {
  it("is refused without a read of the database if the token's form or checksum is wrong [A23-12]", async () => {
    const reads = vi.spyOn(Object.getPrototypeOf(home.DB), "prepare");
    const flipped = token.slice(0, -1) + (token.endsWith("0") ? "1" : "0");
    for (const guess of [
      "shr_",
      flipped,
      token.slice(0, -1),
      `${token}0`,
      token.toLowerCase(),
      token.replace("shr_", "sk_live_"),
      `shr_${"0".repeat(46)}`,
      `shr_${"A".repeat(15_000)}`,
    ])
      expectError(await visit(guess, `/v1/jobs/${jobId}/result`), 401, "Unauthorized", guess);
    expect(reads).not.toHaveBeenCalled();
  });

  it("finds nothing, and costs at most the rate of its address in reads [A23-12]", async () => {
    const admits = vi.spyOn(home.platform.addressRate, "admits");
    let admitted = 0;
    admits.mockImplementation(async () => (admitted += 1) <= 300);
    const find = vi.spyOn(home.platform.accounts, "findByShareDigest");
    const guess = () =>
      visit(generateShareToken(), `/v1/jobs/${jobId}/result`, "GET", {
        headers: { "cf-connecting-ip": "198.51.100.77" },
      });
    const answers = await Promise.all(Array.from({ length: 400 }, guess));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(300);
    for (const answer of answers.filter(({ status }) => status !== 401))
      expectError(answer, 429, "rate_limited");
    expect(find.mock.calls.length).toBeLessThanOrEqual(300);
  });
});

describe("a link that is opened very often", () => {
  it("has a separate rate, which takes nothing from its account's [A23-13]", async () => {
    const { requestRate } = home.platform;
    const counted: string[] = [];
    vi.spyOn(requestRate, "admits").mockImplementation(async (key) => {
      counted.push(key);
      return !key.startsWith("link ");
    });
    for (const path of paths()) {
      const answer = await visit(token, path);
      expectError(answer, 429, "rate_limited", path);
      expect(answer.headers.get("retry-after")).toBe("60");
    }
    expect(counted).not.toContain(client.accountId);
    expect(new Set(counted).size).toBe(1);
    expect(counted[0]).not.toContain(token);
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).status).toBe(200);
  });

  it("is refused after 10,000 requests until the next day, counted exactly [A23-13]", async () => {
    const today = dayOf(Date.now());
    await home.DB.prepare("UPDATE shares SET day = ?2, reads = ?3 WHERE job_id = ?1")
      .bind(jobId, today, MOST_LINK_REQUESTS_PER_DAY - 5)
      .run();
    const answers = await Promise.all(Array.from({ length: 8 }, () => visit(token, `/v1/jobs/${jobId}`)));
    // A new day may have begun meanwhile.
    if (dayOf(Date.now()) !== today) return;
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3);
    const refused = await visit(token, `/v1/jobs/${jobId}/result`);
    expectError(refused, 429, "rate_limited");
    expect(refused.body.retryAfterSeconds).toBeLessThanOrEqual(86_400);
    expect((await client.send("GET", `/v1/jobs/${jobId}`)).status).toBe(200);
    later(secondsToNextDay(Date.now()) * 1_000);
    expect((await visit(token, `/v1/jobs/${jobId}`)).status).toBe(200);
  });
});

it("no line of the log has a link's token or its digest [A23-4]", async () => {
  const lines = logged();
  const made = await shareJob(client, jobId);
  for (const path of [...paths(), `/v1/jobs/${"0".repeat(36)}`]) await visit(made.token, path);
  vi.spyOn(home.platform.requestRate, "admits").mockResolvedValue(false);
  await visit(made.token, `/v1/jobs/${jobId}`);
  await client.send("DELETE", `/v1/jobs/${jobId}/share`);
  const text = JSON.stringify(lines());
  expect(lines().length).toBeGreaterThan(6);
  expect(text).not.toContain("shr_");
  const { digest } = (await home.DB.prepare("SELECT digest FROM shares").first<{ digest: string }>()) ?? {
    digest: made.token,
  };
  expect(text).not.toContain(digest);
});
