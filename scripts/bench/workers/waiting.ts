import { z } from "zod";
import { createApp } from "../../../src/app.ts";
import { apiKeyDigest, apiKeyPrefix, generateApiKey } from "../../../src/core/accounts/api-key.ts";
import { inputKey } from "../../../src/core/object-keys.ts";
import type { Env } from "../../../src/env.ts";
import { platformOf } from "../../../src/platform.ts";

export { AccountStreams } from "../../../src/workers/account-streams.ts";
export { JobObject } from "../../../src/workers/job-object.ts";

/** Runs in the Workers runtime: the service's API, jobs that end on command, and a count of database calls. */

const ACCOUNT = "acct_of_the_benchmark";
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);

const app = createApp(platformOf);

const Command = z.discriminatedUnion("do", [
  z.object({ do: z.literal("open"), statements: z.array(z.string()) }),
  z.object({ do: z.literal("create"), key: z.string(), jobs: z.int() }),
  z.object({ do: z.literal("waits"), jobIds: z.array(z.string()) }),
  z.object({ do: z.literal("end"), jobId: z.string(), taskId: z.string() }),
  z.object({ do: z.literal("calls") }),
]);

let calls = 0;

/** Counts each statement from now on, the JobObjects' too: they run in the same isolate. */
function countCalls(db: D1Database): void {
  const prototype: Pick<D1Database, "prepare"> = Object.getPrototypeOf(db);
  const { prepare } = prototype;
  prototype.prepare = function (this: D1Database, statement) {
    calls += 1;
    return prepare.call(this, statement);
  };
}

async function open({ DB }: Env, statements: readonly string[]): Promise<string> {
  for (const statement of statements) await DB.prepare(statement).run();
  const key = generateApiKey();
  await DB.batch([
    DB.prepare(
      "INSERT INTO accounts (id, email, plan, created_at, updated_at) VALUES (?1, 'a@example.com', 'paid', 0, 0)",
    ).bind(ACCOUNT),
    DB.prepare(
      `INSERT INTO api_keys (id, account_id, label, prefix, digest, created_at, updated_at)
       VALUES ('key_of_the_benchmark', ?1, 'bench', ?2, ?3, 0, 0)`,
    ).bind(ACCOUNT, apiKeyPrefix(key), await apiKeyDigest(key)),
  ]);
  countCalls(DB);
  return key;
}

/** A new job of one picture, by the API. */
async function create(
  env: Env,
  context: ExecutionContext,
  key: string,
): Promise<{ jobId: string; taskId: string }> {
  const post = async (path: string, body: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await app.request(
      path,
      { method: "POST", headers, body: JSON.stringify(body) },
      env,
      context,
    );
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const upload = await post("/v1/uploads/presign", { contentType: "image/png" });
  const { taskId } = z.object({ taskId: z.string() }).parse(upload);
  await env.MEDIA.put(inputKey(ACCOUNT, taskId), PNG);
  const job = await post("/v1/jobs", { type: "image", prompts: ["cat"], tasks: [taskId] });
  return { ...z.object({ jobId: z.string() }).parse(job), taskId };
}

/** Ends a job; returns when its end was reported, epoch ms. */
async function end(env: Env, jobId: string, taskId: string): Promise<number> {
  const job = platformOf(env).jobObject(jobId);
  const claim = await job.claimTask(taskId);
  if (claim === null) throw new Error("the task could not be claimed");
  const reportedAt = Date.now();
  await job.completeTask(taskId, claim.lease, {
    outcome: "success",
    output: {
      type: "image",
      units: 1,
      generatedAt: new Date().toISOString(),
      preview: null,
      notice: null,
      masks: [],
    },
  });
  return reportedAt;
}

async function obey(env: Env, context: ExecutionContext, command: z.infer<typeof Command>): Promise<unknown> {
  switch (command.do) {
    case "open":
      return open(env, command.statements);
    case "create": {
      const jobs = [];
      for (let i = 0; i < command.jobs; i += 1) jobs.push(await create(env, context, command.key));
      return jobs;
    }
    case "waits": {
      const reports = await Promise.all(
        command.jobIds.map((jobId) => platformOf(env).jobObject(jobId).report()),
      );
      return reports.reduce((sum, report) => sum + (report?.waits ?? 0), 0);
    }
    case "end":
      return end(env, command.jobId, command.taskId);
    case "calls":
      return calls;
  }
}

export default {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    if (new URL(request.url).pathname !== "/") return app.fetch(request, env, context);
    return Response.json(await obey(env, context, Command.parse(await request.json())));
  },
  // Nobody takes the tasks: they end on command.
  queue(): void {},
};
