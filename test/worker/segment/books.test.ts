import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeEach, expect, it, vi } from "vitest";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { amount } from "../../support/worker/client/random.ts";
import { failure, FakeInference } from "../../support/worker/fakes/inference.ts";
import { finishNextJob, rectangle } from "../../support/worker/fixtures/bridges.ts";
import { GIF, JPEG, MP4, PNG } from "../../support/worker/fixtures/jobs.ts";
import { type Field, sendForm, sendJson } from "../../support/worker/fixtures/segment.ts";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";

const PICTURES = { PNG, JPEG, GIF, MP4 };

const asked = fc.record({
  plan: fc.constantFrom("paid" as const, "trial" as const, "blocked" as const),
  picture: fc.constantFrom(...(["PNG", "JPEG", "GIF", "MP4"] as const)),
  sentAs: fc.constantFrom(...(["form", "base64", "taskId"] as const)),
  prompts: fc.array(fc.constantFrom("cat", "dog", "crocodile"), { maxLength: 3 }),
  points: fc.array(fc.nat({ max: 20 }), { maxLength: 2 }),
  threshold: fc.constantFrom(0.25, 0.5),
  isKeyed: fc.boolean(),
  times: fc.constantFrom(1, 2),
  end: fc.constantFrom("found", "nothing", "failure"),
});
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

/** Rows of a job in an account's tables, without ids and times. */
async function booksOf({ accountId }: Client) {
  const rows = async (sql: string) => (await home.DB.prepare(sql).bind(accountId).all()).results;
  return {
    ledger: await rows(
      "SELECT kind, units, fund FROM ledger WHERE account_id = ?1 ORDER BY kind, units, fund",
    ),
    jobs: await rows(
      "SELECT type, mode, lane, total_items, files, status FROM jobs WHERE account_id = ?1 ORDER BY created_at",
    ),
    use: await rows("SELECT * FROM daily_use WHERE account_id = ?1").then((all) =>
      all.map(({ account_id: _id, ...use }) => use),
    ),
  };
}

/** Uploads the picture as a client does; null if it is refused. */
async function upload(client: Client, { picture }: Asked): Promise<string> {
  const types = { PNG: "image/png", JPEG: "image/jpeg", GIF: "image/gif", MP4: "image/png" };
  const size = PICTURES[picture].length;
  const { body } = await client.send("POST", "/v1/uploads/presign", { contentType: types[picture], size });
  await env.MEDIA.put(inputKey(client.accountId, body.taskId), PICTURES[picture]);
  return body.taskId;
}

const regionsOf = ({ points }: Asked) => points.map((x) => ({ points: [{ x, y: 5, label: 1 }] }));

/** The request's steps, one by one. Returns the status of the last one. */
async function inThreeSteps(client: Client, request: Asked, key: Record<string, string>, taskId: string) {
  const { prompts, threshold } = request;
  const regions = regionsOf(request).map((region) => ({ ...region, taskId }));
  const job = {
    type: "image",
    tasks: [taskId],
    threshold,
    formats: ["coco"],
    ...(prompts.length > 0 && { prompts }),
    ...(regions.length > 0 && { regions }),
  };
  const { status, body } = await client.send("POST", "/v1/jobs", job, key);
  if (status !== 202) return status;
  await client.send("GET", `/v1/jobs/${body.jobId}`, undefined, { prefer: "wait=1" });
  return 200;
}

async function inOneStep(client: Client, request: Asked, key: Record<string, string>, taskId: string) {
  const { picture, prompts, points, threshold, sentAs } = request;
  const headers = { ...key, prefer: "wait=1" };
  const bytes = PICTURES[picture];
  if (sentAs === "form") {
    const fields: Field[] = [
      ["image", bytes],
      ...prompts.map((prompt): Field => ["prompt", prompt]),
      ...points.map((x): Field => ["region", `${x},5`]),
      ["threshold", String(threshold)],
    ];
    return (await sendForm(client, fields, headers)).status;
  }
  const image = sentAs === "taskId" ? { taskId } : { base64: btoa(String.fromCharCode(...bytes)) };
  const regions = regionsOf(request);
  const body = {
    image,
    threshold,
    ...(prompts.length > 0 && { prompts }),
    ...(regions.length > 0 && { regions }),
  };
  return (await sendJson(client, body, headers)).status;
}

/** Sends a request as often as it says, ends the account's jobs, and returns which were accepted, and the books. */
async function run(request: Asked, send: typeof inOneStep) {
  const client = await newClient(request.plan);
  const inference = new FakeInference();
  const taskId = await upload(client, request);
  const key: Record<string, string> = request.isKeyed ? { "idempotency-key": "k" } : {};
  const statuses: number[] = [];
  for (let i = 0; i < request.times; i++) statuses.push(await send(client, request, key, taskId));
  const { body } = await client.send("GET", "/v1/jobs?status=queued");
  for (const _ of body.items ?? [])
    await finishNextJob(
      inference,
      client,
      request.end === "failure" ? failure(false) : request.end === "found" ? [rectangle(1, 2, 3, 4)] : [],
    );
  return { accepted: statuses.map((status) => status < 300), books: await booksOf(client) };
}

beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  overrideSettings({ MAX_PROMPTS: 2, MAX_PROMPT_LENGTH: 5 });
});

it("any request has the same units, ledger and jobs as its three steps [A26-9]", async () => {
  await fc.assert(
    fc.asyncProperty(asked, async (request) => {
      const [one, three] = [await run(request, inOneStep), await run(request, inThreeSteps)];
      expect(one).toEqual(three);
    }),
    { seed: Number(env.SEED), numRuns: amount({ short: 4, long: 150 }), endOnFailure: true },
  );
});
