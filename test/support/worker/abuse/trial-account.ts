import { env } from "cloudflare:workers";
import { UPLOAD_SECONDS } from "../../../../src/uploads/rules/lifetime.ts";
import { inputKey, outputKey } from "../../../../src/shared/bucket/object-keys.ts";
import { MOST_STREAMS } from "../../../../src/jobs/rules/waiters.ts";
import { RATE_PERIOD_SECONDS } from "../../../../src/shared/api/request-rate.ts";
import { filesOf } from "@segmentation/protocol";
import { EventReader } from "../../event-stream.ts";
import type { Answer, Client } from "../client/api.ts";
import { deliverArchive, ring } from "../fixtures/archives.ts";
import { home } from "../runtime/databases.ts";
import { callBack, deliverTask, failure, success } from "../fakes/inference.ts";
import { imageJob, PNG } from "../fixtures/jobs.ts";
import { amount } from "../client/random.ts";
import { later } from "../runtime/time.ts";
import { askEvents, expectWaiters } from "../fixtures/waiters.ts";
import type { Meter } from "./meter.ts";
import type { Outside } from "./outside.ts";

/** The largest object of one PUT. */
const LARGEST_PUT = 5 * 1024 ** 3;
const MASKS = amount({ short: 20, long: 200 });
/** More than a job may have. */
const STREAMS = MOST_STREAMS.job + 2;

/** A trial account that tries everything that is free: see `hour`. */
export class TrialAttacker {
  readonly #client: Client;
  readonly #meter: Meter;
  readonly #outside: Outside;
  readonly #tries: number;
  readonly #unused: string[] = [];
  readonly #presignedAt = new Map<string, number>();
  readonly #succeeded: string[] = [];
  #uploads = 0;
  #jobs = 0;
  /** The answers so far: "status error" and their number. */
  readonly answers = new Map<string, number>();

  /** @param tries of each kind in an hour, if they are not refused: more than any budget */
  constructor(client: Client, meter: Meter, outside: Outside, tries: number) {
    this.#client = client;
    this.#meter = meter;
    this.#outside = outside;
    this.#tries = tries;
  }

  /** Tries each kind of abuse until the service refuses it, and a few times more. */
  async hour(): Promise<void> {
    await this.#fillUploads();
    await this.#createJobs();
    await this.#createManyAtOnce();
    await this.#createInVain();
    await this.#askAgain();
    await this.#makeKeys();
    await this.#makeEndpoints();
    await this.#openBillingPages();
    await this.#look();
    await this.#deleteUploads();
  }

  /** Sends a request with a new Idempotency-Key; waits for the next minute if the rate is used up. */
  async #ask(method: string, path: string, body?: unknown, headers = {}): Promise<Answer> {
    this.#meter.now.requests += 1;
    const key = { "idempotency-key": crypto.randomUUID() };
    const answer = await this.#client.send(method, path, body, { ...key, ...headers });
    this.#note(answer);
    if (answer.status !== 429 || answer.body.retryAfterSeconds !== RATE_PERIOD_SECONDS) return answer;
    later(RATE_PERIOD_SECONDS * 1_000);
    return this.#ask(method, path, body, headers);
  }

  #note({ status, body }: Pick<Answer, "status" | "body">): void {
    const answer = `${status} ${body?.error ?? ""}`.trim();
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
  }

  /** PUTs an object of this many bytes, if the upload's URL is still valid. */
  async #put(taskId: string, size: number): Promise<void> {
    if (Date.now() > (this.#presignedAt.get(taskId) ?? 0) + UPLOAD_SECONDS * 1_000) return;
    const key = inputKey(this.#client.accountId, taskId);
    await env.MEDIA.put(key, PNG);
    this.#outside.sizes.set(key, size);
  }

  /**
   * Returns a mostly small size, so that jobs take the uploads; every tenth is as large as a job takes, or a byte larger, or as
   * large as storage takes.
   */
  #sizeOfNext(): number {
    this.#uploads += 1;
    const { MAX_IMAGE_BYTES: most } = home.platform.settings;
    return [PNG.length, most, most + 1, LARGEST_PUT][[7, 8, 9].indexOf(this.#uploads % 30) + 1] ?? PNG.length;
  }

  async #fillUploads(): Promise<void> {
    for (let i = 0; i < this.#tries; i += 1) {
      const { status, body } = await this.#ask("POST", "/v1/uploads/presign", { contentType: "image/png" });
      if (status !== 200) return;
      this.#presignedAt.set(body.taskId, Date.now());
      await this.#put(body.taskId, this.#sizeOfNext());
      this.#unused.push(body.taskId);
    }
  }

  /** Deletes uploads, and writes to them by URLs that are still valid. */
  async #deleteUploads(): Promise<void> {
    // Keeps some for the next hour, which may have no more bytes to upload.
    const deleted = this.#unused.splice(3);
    for (const taskId of deleted) {
      const { status } = await this.#ask("DELETE", `/v1/uploads/${taskId}`);
      if (status === 204) await this.#put(taskId, LARGEST_PUT);
      else this.#unused.push(taskId);
    }
  }

  /**
   * Creates jobs with one picture: most jobs for the fewest tokens. Their garbage fails permanently, some at the third attempt;
   * the first of a day succeeds.
   */
  async #createJobs(): Promise<void> {
    // Ends the hour even without the limit, whose absence the table would show.
    const most = 3 * home.platform.settings.TRIAL_MAX_TASKS_PER_DAY;
    for (let i = 0; i < most; i += 1) {
      const taskId = this.#unused.shift();
      if (taskId === undefined) {
        await this.#fillUploads();
        if (this.#unused.length === 0) return;
        continue;
      }
      const { status, body } = await this.#ask("POST", "/v1/jobs", imageJob([taskId]));
      if (status === 402) {
        this.#unused.push(taskId);
        return;
      }
      if (status !== 202) continue;
      // Its URL is still valid: replaces it by as much as storage takes.
      if (this.#jobs % 3 === 0) await this.#put(taskId, LARGEST_PUT);
      this.#jobs += 1;
      if (this.#jobs % 5 === 3) await this.#giveUp(body.jobId, taskId);
      else await this.#end(body.jobId, taskId);
    }
  }

  /**
   * Opens as many requests and streams of a job in progress as possible; then cancels and deletes the job, so that it costs
   * nothing.
   */
  async #giveUp(jobId: string, taskId: string): Promise<void> {
    await deliverTask(jobId, taskId);
    const streams = await this.#openStreams(jobId);
    const waiting = Array.from({ length: STREAMS }, () =>
      this.#ask("GET", `/v1/jobs/${jobId}`, undefined, { prefer: "wait=60" }),
    );
    await expectWaiters(jobId, { waits: STREAMS, streams: streams.length });
    this.#meter.now.mostStreams = Math.max(this.#meter.now.mostStreams, streams.length);
    await this.#ask("POST", `/v1/jobs/${jobId}/cancel`);
    await Promise.all([...waiting, ...streams.map((stream) => stream.rest())]);
    await this.#ask("DELETE", `/v1/jobs/${jobId}`);
  }

  /** Streams of a job that are left open. */
  async #openStreams(jobId: string): Promise<EventReader[]> {
    const streams: EventReader[] = [];
    for (let i = 0; i < STREAMS; i += 1) {
      this.#meter.now.requests += 1;
      const response = await askEvents(this.#client, jobId);
      const isOpen = response.status === 200;
      this.#note({ status: response.status, body: isOpen ? null : await response.json() });
      if (isOpen) streams.push(new EventReader(response.body));
    }
    return streams;
  }

  async #end(jobId: string, taskId: string): Promise<void> {
    const { accountId } = this.#client;
    const isGood = this.#jobs % 25 === 1;
    const attempts = this.#jobs % 20 === 2 ? home.platform.policy.maxAttempts : 1;
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      await deliverTask(jobId, taskId);
      const task = this.#outside.inference.last;
      const completion = isGood ? success(MASKS) : failure(attempts > 1);
      if (completion.outcome === "success") {
        const lease = Number(task.key.split(".").at(-1));
        for (const { name } of filesOf(completion.output))
          await env.MEDIA.put(outputKey({ accountId, jobId }, taskId, lease, name), "a mask");
        this.#succeeded.push(jobId);
      }
      await callBack(task, "complete", completion);
      if (attempts === 1) return;
      later(61_000);
      await ring(jobId);
    }
  }

  async #createManyAtOnce(): Promise<void> {
    const [taskId] = this.#unused;
    if (taskId === undefined) return;
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => this.#ask("POST", "/v1/jobs", imageJob([taskId]))),
    );
    for (const { status, body } of answers)
      if (status === 202) await this.#end(body.jobId, this.#unused.shift() ?? taskId);
  }

  /** Creates jobs whose last upload is missing: the service inspects all of them, and refuses the job. */
  async #createInVain(): Promise<void> {
    const { status, body } = await this.#ask("POST", "/v1/uploads/presign", { contentType: "image/png" });
    if (status !== 200) return;
    this.#presignedAt.set(body.taskId, Date.now());
    const tasks = [...this.#unused.slice(0, 2), body.taskId];
    this.#unused.push(body.taskId);
    const before = this.#meter.now.r2ClassB;
    for (let i = 0; i < this.#tries; i += 1)
      if ((await this.#ask("POST", "/v1/jobs", imageJob(tasks))).status !== 409) break;
    this.#meter.now.readsInVain += this.#meter.now.r2ClassB - before;
  }

  /** Requests archives and results of successful jobs, again and again. */
  async #askAgain(): Promise<void> {
    for (const jobId of this.#succeeded.slice(-2)) {
      for (let i = 0; i < 3; i += 1) {
        await this.#ask("POST", `/v1/jobs/${jobId}/download`);
        await deliverArchive(jobId);
        await this.#ask("GET", `/v1/jobs/${jobId}/download`);
        await this.#ask("GET", `/v1/jobs/${jobId}/result`);
      }
      // Lets the archive expire, so that the next one is built again.
      await ring(jobId);
    }
  }

  async #makeKeys(): Promise<void> {
    const made: string[] = [];
    for (let i = 0; i < this.#tries; i += 1) {
      const { status, body } = await this.#ask("POST", "/v1/api-keys", { label: "k".repeat(100) });
      if (status !== 201) break;
      made.push(body.apiKey.keyId);
    }
    for (const keyId of made) await this.#ask("DELETE", `/v1/api-keys/${keyId}`);
  }

  async #makeEndpoints(): Promise<void> {
    const made: string[] = [];
    for (let i = 0; i < this.#tries; i += 1) {
      const url = `https://victim.example.com/${"x".repeat(1_000)}`;
      const { status, body } = await this.#ask("POST", "/v1/webhook-endpoints", { url });
      if (status !== 201) break;
      made.push(body.endpoint.endpointId);
    }
    for (const endpointId of made.slice(0, 1))
      await this.#ask("POST", `/v1/webhook-endpoints/${endpointId}/test`);
    for (const endpointId of made) await this.#ask("DELETE", `/v1/webhook-endpoints/${endpointId}`);
  }

  async #openBillingPages(): Promise<void> {
    for (let i = 0; i < this.#tries; i += 1) {
      const { status } = await this.#ask("POST", `/v1/billing/${i % 2 === 0 ? "checkout" : "portal"}`);
      if (status !== 201) break;
    }
    await this.#ask("POST", "/v1/billing/portal");
  }

  async #look(): Promise<void> {
    const { body } = await this.#ask("GET", "/v1/jobs?limit=2");
    const odd = ["x", "", "a".repeat(2_000), `${body?.nextToken ?? ""}0`, String(body?.nextToken)];
    for (const cursor of odd) await this.#ask("GET", `/v1/jobs?limit=100&nextToken=${cursor}`);
    for (const path of ["/v1/account", "/v1/account/overview", "/v1/api-keys", "/v1/jobs?status=failed"])
      for (let i = 0; i < 3; i += 1) await this.#ask("GET", path);
  }
}
