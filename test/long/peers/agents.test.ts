/** An agent that asks without end, over a whole stack with a fixture model. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SegmentationClient } from "segmentation-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mapParallel } from "../../../client/src/http/parallel.ts";
import { createAccount } from "../../../scripts/shared/database/accounts.ts";
import { type Database, openLocalDatabase } from "../../../scripts/shared/database/database.ts";
import { stateFolder } from "../../../scripts/shared/state/state-folder.ts";
import { FIXTURE } from "../../support/chaos/models.ts";
import { keysInBucket } from "../../support/stack/local-bucket.ts";
import { sample } from "../../support/media/sample.ts";
import { type SpawnedStack, spawnStack } from "../../support/stack/spawn-stack.ts";

const CALLS = 10_000;
/** Below an account's rate of a minute. */
const CALLS_OF_AN_ACCOUNT = 500;
const AT_A_TIME = 10;
const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

let stateDir: string;
let stack: SpawnedStack;
let database: Database;
beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "agents-"));
  stack = await spawnStack({
    stateDir,
    launcher: "test/support/chaos/start.ts",
    env: { ...FIXTURE.env, CHAOS_SERVICE: FIXTURE.service },
  });
  database = await openLocalDatabase(stateFolder(stateDir));
});
afterAll(async () => {
  await stack.stop();
  await rm(stateDir, { recursive: true });
});

/** Counts the rows of each table, and lists the bucket's keys. */
async function kept(): Promise<unknown> {
  const tables =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' ORDER BY name";
  const [found = []] = await database.run([tables]);
  const names = found.map(({ name }) => String(name));
  const counts = await database.run(names.map((name) => `SELECT count(*) AS rows FROM "${name}"`));
  const keys = await keysInBucket(stateFolder(stateDir).data);
  return { rows: names.map((name, i) => [name, counts[i]?.[0]?.["rows"]]), keys };
}

it("ten thousand requests for the tools are answered, and leave nothing in the database or the bucket", async () => {
  const secrets: string[] = [];
  for (let i = 0; i < CALLS / CALLS_OF_AN_ACCOUNT; i++) {
    const account = { email: `${i}@example.com`, name: "An agent", plan: "paid", keyLabel: "test" } as const;
    secrets.push((await createAccount(database, account)).secret);
  }
  const ask = async (secret: string): Promise<void> => {
    const headers = {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const response = await fetch(`${stack.baseUrl}/mcp`, { method: "POST", headers, body: LIST });
    expect(await response.text()).toContain('"describe_model"');
  };
  // The rows of other requests are there.
  await new SegmentationClient(stack).upload(new Blob([sample("coffee")], { type: "image/png" }));
  const before = await kept();
  for (const secret of secrets)
    await mapParallel(Array.from({ length: CALLS_OF_AN_ACCOUNT }), AT_A_TIME, undefined, () => ask(secret));
  expect(await kept()).toEqual(before);
});
