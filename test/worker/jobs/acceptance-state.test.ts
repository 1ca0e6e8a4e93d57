import { expect, it, vi } from "vitest";
import { IdempotencyKeys } from "../../../src/shared/storage/idempotency-keys.ts";
import { Jobs } from "../../../src/jobs/store/jobs.ts";
import { Queues } from "../../../src/jobs/store/queues.ts";
import { JobObject } from "../../../src/jobs/object/job-object.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { ring } from "../../support/worker/fixtures/archives.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { callBack, deliverTask, FakeInference, success } from "../../support/worker/fakes/inference.ts";
import { imageJob, uploads } from "../../support/worker/fixtures/jobs.ts";
import { entriesOf } from "../../support/worker/fixtures/ledger.ts";
import { amount, Draw } from "../../support/worker/client/random.ts";
import { loseJobs } from "../../support/worker/fixtures/restore.ts";
import { later } from "../../support/worker/runtime/time.ts";

const fails = () => Promise.reject(new Error("it can't be reached"));

/** The faults of one request: each hits its next call, before or after its effect. */
const FAULTS: Readonly<Record<string, () => unknown>> = {
  "the queue is down": () => vi.spyOn(Queues.prototype, "sendTasks").mockImplementationOnce(fails),
  "the object does not learn that it is accepted": () =>
    vi.spyOn(JobObject.prototype, "accept").mockImplementationOnce(fails),
  "the object's acceptance is not heard": () => {
    const accept = Reflect.get(JobObject.prototype, "accept");
    vi.spyOn(JobObject.prototype, "accept").mockImplementationOnce(async function (this: JobObject) {
      await accept.call(this);
      return fails();
    });
  },
  "the object does not learn that it is withdrawn": () =>
    vi.spyOn(JobObject.prototype, "withdraw").mockImplementationOnce(fails),
  "the list can't strike the job": () => vi.spyOn(Jobs.prototype, "withdraw").mockImplementationOnce(fails),
  "the list lists the job and does not say so": () => {
    const insert = Reflect.get(Jobs.prototype, "insert");
    vi.spyOn(Jobs.prototype, "insert").mockImplementationOnce(async function (this: Jobs, ...args) {
      await insert.apply(this, args);
      return fails();
    });
  },
  "the answer is not remembered": () =>
    vi.spyOn(IdempotencyKeys.prototype, "complete").mockImplementationOnce(fails),
};

interface Round {
  /** Jobs for which a client received a 202. */
  readonly acknowledged: ReadonlySet<string>;
  /** All jobs that a request began. */
  readonly begun: ReadonlySet<string>;
  readonly status: (jobId: string) => Promise<number>;
  readonly story: readonly string[];
}

/** Sends some requests for one job, with faults, and events in between; with or without the loss of its rows. */
async function round(draw: Draw, losesRows: boolean): Promise<Round> {
  const client = await newClient();
  const tasks = await uploads(client, 1);
  const taskId = tasks[0] ?? "";
  const acknowledged = new Set<string>();
  const begun = new Set<string>();
  const story: string[] = [];
  const status = async (jobId: string) => (await client.send("GET", `/v1/jobs/${jobId}`)).status;
  const prepare = Reflect.get(JobObject.prototype, "prepare");
  const noteJobs = () =>
    vi.spyOn(JobObject.prototype, "prepare").mockImplementation(async function (this: JobObject, definition) {
      begun.add(definition.jobId);
      await prepare.call(this, definition);
    });
  let inference = new FakeInference();
  noteJobs();

  const request = async (faults: readonly string[]) => {
    for (const fault of faults) FAULTS[fault]?.();
    later(61_000);
    const key = { "idempotency-key": "k" };
    const { status: answered, body } = await client.send("POST", "/v1/jobs", imageJob(tasks), key);
    story.push(`request (${faults.join(", ")}): ${answered}`);
    if (answered === 202) acknowledged.add(body.jobId);
    // Faults that did not strike end with the request.
    vi.restoreAllMocks();
    inference = new FakeInference();
    noteJobs();
  };
  const work = async (jobId: string) => {
    const before = inference.tasks.length;
    await deliverTask(jobId, taskId);
    if (inference.tasks.length > before) await callBack(inference.last, "complete", success(0));
  };
  const eachObject = async (what: string, act: (jobId: string) => Promise<unknown>) => {
    story.push(what);
    for (const jobId of begun) await act(jobId);
  };

  for (let i = 0; i < 6; i += 1) {
    const event = draw.upTo(losesRows ? 8 : 7);
    if (event <= 3) {
      await request(draw.shuffled(Object.keys(FAULTS)).slice(0, draw.upTo(4)));
    } else if (event <= 5) {
      later(31_000);
      await eachObject("alarm", ring);
    } else if (event <= 7) {
      await eachObject("work", work);
    } else {
      story.push("the rows are lost");
      await loseJobs();
    }
    for (const jobId of acknowledged) expect(await status(jobId), story.join("\n")).toBe(200);
  }
  // In the end nothing fails any more, and time passes.
  vi.restoreAllMocks();
  inference = new FakeInference();
  for (let i = 0; i < 3; i += 1) {
    later(31_000);
    for (const jobId of begun) {
      await work(jobId);
      await ring(jobId);
    }
  }
  return { acknowledged, begun, status, story };
}

const isListed = async (jobId: string): Promise<boolean> =>
  (await home.DB.prepare("SELECT 1 FROM jobs WHERE id = ?1").bind(jobId).first()) !== null;

it("a job that was answered 202 stays after any failures and lost rows", async () => {
  const draw = new Draw();
  for (let i = 0; i < amount({ short: 2, long: 400 }); i += 1) {
    const { acknowledged, status, story } = await round(draw, true);
    for (const jobId of acknowledged) expect(await status(jobId), story.join("\n")).toBe(200);
  }
});

it("a withdrawn job disappears after any failures and costs nothing, as long as no row is lost", async () => {
  const draw = new Draw();
  for (let i = 0; i < amount({ short: 2, long: 400 }); i += 1) {
    const { acknowledged, begun, status, story } = await round(draw, false);
    for (const jobId of begun) {
      const listed = await isListed(jobId);
      expect(await status(jobId), story.join("\n")).toBe(listed ? 200 : 404);
      if (acknowledged.has(jobId)) expect(listed, story.join("\n")).toBe(true);
      if (!listed) {
        const kinds = (await entriesOf(jobId)).map(([kind]) => kind);
        expect([[], ["reserve", "void"]], story.join("\n")).toContainEqual(kinds);
      }
    }
  }
});
