import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { EVENT_KEY_HEADER, EVENT_PATH } from "../../../scripts/local/stack/bucket-events.ts";
import { withStorage } from "../../../scripts/local/stack/workers/with-storage.ts";
import worker from "../../../src/index.ts";
import { answerOf, type Answer, fetchWorker } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const local = withStorage(worker);
const SQL = "/internal/operator/sql";
const OBJECT = "/internal/operator/object";

const requestOf = (path: string, body: unknown, token = home.platform.settings.OPERATOR_TOKEN): Request =>
  new Request(`https://api.test${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

async function ask(path: string, body: unknown, token?: string): Promise<Answer> {
  return answerOf(await local.fetch(requestOf(path, body, token), env, createExecutionContext()));
}

describe("the Worker of a local stack", () => {
  it("runs all or none of the operator's statements on its database", async () => {
    expect(
      (await ask(SQL, { statements: ["SELECT 1 AS one, NULL AS none", "SELECT 'a' AS word"] })).body,
    ).toEqual({ results: [[{ one: 1, none: null }], [{ word: "a" }]] });
    await home.DB.exec("CREATE TABLE notes (word TEXT NOT NULL)");
    const write = (word: string) => `INSERT INTO notes VALUES (${word})`;
    const here = { database: home.name };
    expectError(
      await ask(SQL, { ...here, statements: [write("'a'"), write("NULL")] }),
      500,
      "internal_error",
    );
    await ask(SQL, { ...here, statements: [write("'b'"), write("'c'")] });
    expect((await home.DB.prepare("SELECT word FROM notes").all()).results).toEqual([
      { word: "b" },
      { word: "c" },
    ]);
  });

  it("returns an object of its bucket to the operator, and reports a missing one", async () => {
    await env.MEDIA.put("ledger/2026-08/a.jsonl", "{}\n");
    expect((await ask(OBJECT, { key: "ledger/2026-08/a.jsonl" })).body).toEqual({ text: "{}\n" });
    expect((await ask(OBJECT, { key: "ledger/2026-08/b.jsonl" })).body).toEqual({ text: null });
  });

  it("does neither for others, nor in a deployed Worker", async () => {
    for (const [path, body] of [
      [SQL, { statements: ["SELECT 1"] }],
      [OBJECT, { key: "a" }],
    ] as const) {
      expectError(await ask(path, body, "another-token-of-some-length-or-other"), 401, "Unauthorized");
      expectError(await answerOf(await fetchWorker(requestOf(path, body))), 404, "not_found");
    }
  });

  it("puts an event of its bucket into its queue, for the front end alone", async () => {
    const queued: unknown[] = [];
    const UPLOADS_QUEUE = { send: async (body: unknown) => queued.push(body) };
    const fake = Object.assign({}, env, { UPLOADS_QUEUE, BUCKET_EVENTS_KEY: "the key" });
    const event = { bucket: "segmentation-media", action: "PutObject" };
    const tell = async (key: string, where: typeof env) => {
      const init = { method: "POST", headers: { [EVENT_KEY_HEADER]: key }, body: JSON.stringify(event) };
      const request = new Request(`https://api.test${EVENT_PATH}`, init);
      return (await local.fetch(request, where, createExecutionContext())).status;
    };
    expect(await tell("another key", fake)).toBe(404);
    expect(await tell("the key", env)).toBe(404);
    expect(queued).toEqual([]);
    expect(await tell("the key", fake)).toBe(204);
    expect(queued).toEqual([event]);
  });

  it("answers everything else as the Worker does that is deployed", async () => {
    const response = await local.fetch(
      new Request("https://api.test/healthz"),
      env,
      createExecutionContext(),
    );
    expect(await response.json()).toEqual({ status: "ok" });
  });
});
