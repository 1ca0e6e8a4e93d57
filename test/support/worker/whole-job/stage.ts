import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { BEGIN_SHOWN_MS } from "../../../../src/jobs/rules/lifecycle.ts";
import { outputKey } from "../../../../src/shared/bucket/object-keys.ts";
import { Jobs } from "../../../../src/jobs/store/jobs.ts";
import { Queues } from "../../../../src/jobs/store/queues.ts";
import { filesOf, type Completion, type TaskRequest } from "@segmentation/protocol";
import { at } from "../../at.ts";
import type { Answer, Client } from "../client/api.ts";
import { deliverArchive, ring } from "../fixtures/archives.ts";
import { callBack, deliverTask, failure, FakeInference, success } from "../fakes/inference.ts";
import { imageJob, uploads } from "../fixtures/jobs.ts";
import { entriesOf } from "../fixtures/ledger.ts";
import { later, PATIENT } from "../runtime/time.ts";
import { storedOf, tracesOf } from "../runtime/traces.ts";
import type { Event, Offer, Part, Report } from "./events.ts";
import { JobModel } from "./model.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Returns a task's lease, by the inference service's key. */
const leaseOf = ({ key }: TaskRequest): number => Number(key.split(".").at(-1));

const down = (part: Part) => () => Promise.reject(new Error(`the ${part} cannot be reached`));

/** One job on the Workers runtime with its model: sends each event to both, and compares their results. */
export class Stage {
  readonly client: Client;
  readonly jobId: string;
  readonly taskIds: readonly string[];
  readonly model: JobModel;
  readonly #request: object;
  readonly #idempotencyKey: string;
  readonly #inference = new FakeInference();
  readonly #cancelled: string[] = [];
  readonly #outages = new Map<Part, (() => void)[]>();
  readonly #createdAt = Date.now();
  #lastLease = 0;
  /** The latest time at which the job has begun, epoch ms. */
  #begunBy: number | null = null;
  #listed = "";

  private constructor(
    client: Client,
    job: { jobId: string; taskIds: readonly string[]; request: object; idempotencyKey: string },
  ) {
    this.client = client;
    this.jobId = job.jobId;
    this.taskIds = job.taskIds;
    this.#request = job.request;
    this.#idempotencyKey = job.idempotencyKey;
    this.model = new JobModel(job.taskIds.length, this.#createdAt);
  }

  /** Creates a job with this many tasks. */
  static async open(client: Client, tasks: number): Promise<Stage> {
    vi.spyOn(Queues.prototype, "sendTasks").mockResolvedValue();
    vi.spyOn(Queues.prototype, "sendArchive").mockResolvedValue();
    const taskIds = await uploads(client, tasks);
    const request = imageJob(taskIds);
    const idempotencyKey = crypto.randomUUID();
    const headers = { "idempotency-key": idempotencyKey };
    const { status, body } = await client.send("POST", "/v1/jobs", request, headers);
    expect(status).toBe(202);
    return new Stage(client, { jobId: body.jobId, taskIds, request, idempotencyKey });
  }

  /** Performs an event and compares the visible state after it. */
  async perform(event: Event): Promise<void> {
    switch (event.kind) {
      case "message":
        await this.message(event.task, event.offer);
        break;
      case "report":
        await this.#reportOf(event.holder, event.report, event.masks);
        break;
      case "time":
        await this.time(event.seconds * 1_000);
        break;
      case "crash":
        await abortAllDurableObjects();
        break;
      case "cancel":
        await this.#cancel(event.by);
        break;
      case "delete":
        await this.#delete();
        break;
      case "same request again":
        await this.#sameRequest();
        break;
      case "archive asked for": {
        const { status } = await this.#call("POST", "/download");
        expect(status === 202 ? 200 : status).toBe(this.model.archiveAskedFor());
        break;
      }
      case "archive message":
        await deliverArchive(this.jobId);
        this.model.archiveDelivered(Date.now());
        break;
      case "outage":
        this.#begin(event.part);
        break;
      case "end of outage":
        this.end(event.part);
    }
    await this.compare();
  }

  #call(method: string, path: string): Promise<Answer> {
    return this.client.send(method, `/v1/jobs/${this.jobId}${path}`);
  }

  /** Delivers a message for a task, whether or not one was sent. */
  async message(index: number, offer: Offer): Promise<void> {
    const taskId = at(this.taskIds, index);
    let isAnswered = false;
    this.#inference.silent = offer === "takes it without an answer";
    this.#inference.answer = () => {
      isAnswered = true;
      if (offer === "is full") return Response.json({ error: "lane_full" }, { status: 429 });
      return offer === "refuses it"
        ? Response.json({ error: "bad_task" }, { status: 400 })
        : Response.json({}, { status: 202 });
    };
    const taken = this.#inference.tasks.length;
    await deliverTask(this.jobId, taskId);
    const isOffered = isAnswered || this.#inference.tasks.length > taken;
    expect(isOffered, "a task is offered if nobody has it").toBe(this.model.isOffered(index));
    if (!isOffered) return;
    const task = this.#inference.tasks.at(taken);
    if (offer === "takes it without an answer" && task !== undefined) this.#cancelled.push(task.key);
    const lease = task === undefined ? Infinity : leaseOf(task);
    expect(lease, "a fencing token is larger than all before").toBeGreaterThan(this.#lastLease);
    if (task !== undefined) this.#lastLease = lease;
    this.model.offered(index, lease, offer, Date.now());
  }

  /** Reports as one of all holders so far, the latest being the 0th. */
  async #reportOf(holder: number, report: Report, masks: number): Promise<void> {
    const task = this.#inference.tasks.at(-1 - holder);
    if (task !== undefined) await this.report(task, report, masks);
  }

  /** Reports as the holder of the latest lease. */
  async finishLast(): Promise<void> {
    await this.report(this.#inference.last, "success", 1);
  }

  async report(task: TaskRequest, report: Report, masks: number): Promise<void> {
    const [, taskId = "", lease] = /^[^.]+\.(.+)\.(\d+)$/.exec(task.key) ?? [];
    const index = this.taskIds.indexOf(taskId);
    const { status } =
      report === "progress"
        ? await callBack(task, "progress", { done: 0, total: 1 })
        : await callBack(task, "complete", await this.#completion(taskId, Number(lease), report, masks));
    const expected = this.model.reported(index, Number(lease), report, masks, Date.now());
    expect(status, `${report} of lease ${lease}`).toBe(expected);
  }

  /** Stores a success's outputs in the bucket under its lease before the report. */
  async #completion(taskId: string, lease: number, report: Report, masks: number): Promise<Completion> {
    if (report === "returned") return { outcome: "returned" };
    if (report !== "success") return failure(report === "failed");
    const completion = success(masks);
    if (completion.outcome !== "success") throw new Error("a success is none");
    const job = { accountId: this.client.accountId, jobId: this.jobId };
    if (this.model.isDeleted && !this.model.canWrite(Date.now())) return completion;
    for (const { name } of filesOf(completion.output)) {
      await env.MEDIA.put(outputKey(job, taskId, lease, name), `lease ${lease}`);
    }
    return completion;
  }

  /** Advances the time, and rings the job's alarm: it always has one. */
  async time(ms: number): Promise<void> {
    later(ms);
    const hasAlarm = await ring(this.jobId);
    if (this.model.isDeleted) this.model.isStruck ||= !this.#outages.has("database");
    else expect(hasAlarm, "a job has an alarm").toBe(true);
    this.#expectCancelled(this.model.passed(Date.now()));
  }

  async #cancel(by: "account" | "operator"): Promise<void> {
    if (by === "account") {
      expect((await this.#call("POST", "/cancel")).status).toBe(this.model.isDeleted ? 404 : 200);
    } else {
      const open = this.model.tasks.filter(({ end }) => end === null).length;
      // A deleted job may be forgotten by now.
      const canceled = await env.JOBS.getByName(this.jobId).cancel(null);
      expect(canceled?.canceledTasks ?? 0).toBe(open);
    }
    this.#expectCancelled(this.model.canceled());
  }

  async #delete(): Promise<void> {
    const { status } = await this.#call("DELETE", "");
    const expected = this.model.deleted(!this.#outages.has("database"));
    expect(status).toBe(expected.status);
    this.#expectCancelled(expected.leases);
  }

  #expectCancelled(leases: readonly number[]): void {
    for (const task of this.#inference.tasks) {
      if (leases.includes(leaseOf(task))) this.#cancelled.push(task.key);
    }
  }

  async #sameRequest(): Promise<void> {
    if (Date.now() >= this.#createdAt + DAY_MS) return;
    const headers = { "idempotency-key": this.#idempotencyKey };
    const { status, body, replayed } = await this.client.send("POST", "/v1/jobs", this.#request, headers);
    expect([status, body.jobId, replayed]).toEqual([202, this.jobId, "true"]);
  }

  #begin(part: Part): void {
    if (this.#outages.has(part)) return;
    const spies =
      part === "database"
        ? [
            vi.spyOn(Jobs.prototype, "project").mockImplementation(down(part)),
            vi.spyOn(Jobs.prototype, "retire").mockImplementation(down(part)),
          ]
        : [
            vi.spyOn(Queues.prototype, "sendTasks").mockImplementation(down(part)),
            vi.spyOn(Queues.prototype, "sendArchive").mockImplementation(down(part)),
          ];
    this.#outages.set(
      part,
      spies.map((spy) => () => spy.mockRestore()),
    );
  }

  end(part: Part): void {
    for (const restore of this.#outages.get(part) ?? []) restore();
    this.#outages.delete(part);
  }

  /** Compares the clients' view with the model; also the list and the ledger, once there is news and the database is back. */
  async compare(): Promise<void> {
    if (this.model.hasEnded) this.model.endedAt ??= Date.now();
    if (this.model.isDeleted) return this.#compareDeleted();
    const { body } = await this.#call("GET", "");
    expect(body.status).toBe(this.model.status);
    expect(body.tasks.map((task: { status: string }) => task.status)).toEqual(this.model.taskStatuses);
    if (this.model.hasEnded) await this.#compareArchive();
    const shown = `${this.model.status} ${this.model.hasEnded}`;
    if (this.#outages.has("database") || this.#listed === shown) return;
    await env.JOBS.getByName(this.jobId).sync();
    const listed = await this.client.send("GET", `/v1/jobs?jobId=${this.jobId}`);
    const statuses = listed.body.items.map((item: { status: string }) => item.status);
    // The list learns some seconds later that a job has begun.
    this.#begunBy ??= this.model.status === "processing" ? Date.now() : null;
    const mayLag = this.model.status === "processing" && Date.now() < (this.#begunBy ?? 0) + BEGIN_SHOWN_MS;
    if (mayLag && statuses[0] === "queued") return;
    expect(statuses).toEqual([this.model.status]);
    expect(await entriesOf(this.jobId)).toEqual(this.model.entries);
    this.#listed = shown;
  }

  /** Expects that a deleted job is gone for its account, and that the ledger keeps its usage, once the database is back. */
  async #compareDeleted(): Promise<void> {
    for (const path of ["", "/result", "/download"]) expect((await this.#call("GET", path)).status).toBe(404);
    if (this.#outages.has("database")) return;
    await env.JOBS.getByName(this.jobId).sync();
    this.model.isStruck = true;
    const listed = await this.client.send("GET", "/v1/jobs");
    expect(listed.body.items).toEqual([]);
    expect(await entriesOf(this.jobId)).toEqual(this.model.entries);
  }

  /** Expects that no holder can write any more, and nothing of the job is left, in the bucket, in its object or in the list. */
  async expectForgotten(): Promise<void> {
    later(2 * HOUR_MS);
    await ring(this.jobId);
    const { objects } = await env.MEDIA.list();
    expect(objects.filter(({ key }) => key.includes(this.jobId))).toEqual([]);
    expect(await storedOf(this.jobId)).toEqual([]);
    const where = new Set((await tracesOf(this.jobId, [])).map((trace) => trace.split(".")[0]));
    where.delete("idempotency_keys");
    expect([...where]).toEqual(["ledger"]);
  }

  async #compareArchive(): Promise<void> {
    const { status, body } = await this.#call("GET", "/download");
    const shown = { none: "download_not_requested", "asked for": "pending", ready: "ready" } as const;
    expect(status === 404 ? body.error : body.status).toBe(shown[this.model.archive]);
  }

  /** Expects that the result names exactly the outputs of the successful leases, unchanged in the bucket. */
  async compareResult(): Promise<void> {
    const { status, body } = await this.#call("GET", "/result");
    const { isDeleted } = this.model;
    expect(status).toBe(isDeleted ? 404 : this.model.status === "success" ? 200 : 409);
    if (status !== 200) return;
    const expected = this.model.tasks.flatMap(({ end, lease, masks }, i) =>
      end === "success"
        ? Array.from({ length: masks }, (_, mask) =>
            [this.client.accountId, this.jobId, this.taskIds[i], lease, `masks/${mask}.png`].join("/"),
          )
        : [],
    );
    const named = body.assets.map(({ url }: { url: string }) => new URL(url).pathname.split("/outputs/")[1]);
    expect(named).toEqual(expected);
    for (const key of expected) {
      const lease = key.split("/").at(3);
      expect(await (await env.MEDIA.get(`outputs/${key}`))?.text()).toBe(`lease ${lease}`);
    }
  }

  /** Expects that the inference service had to drop every lease that was taken away from it, and no other. */
  async compareCancellations(): Promise<void> {
    const sorted = (keys: readonly string[]): string[] => keys.toSorted();
    await vi.waitFor(
      () => expect(sorted(this.#inference.cancelled)).toEqual(sorted(this.#cancelled)),
      PATIENT,
    );
  }
}
