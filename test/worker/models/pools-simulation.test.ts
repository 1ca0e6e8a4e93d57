import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { TaskRequest } from "@segmentation/protocol";
import { newClient } from "../../support/worker/client/api.ts";
import { amount, Draw } from "../../support/worker/client/random.ts";
import { HeldQueue } from "../../support/worker/fakes/held-queue.ts";
import { callBack, success } from "../../support/worker/fakes/inference.ts";
import { installPools, SimulatedPool } from "../../support/worker/fakes/simulated-pool.ts";
import { ring } from "../../support/worker/fixtures/archives.ts";
import { newJob, uploads } from "../../support/worker/fixtures/jobs.ts";
import { at } from "../../support/at.ts";
import { later } from "../../support/worker/runtime/time.ts";

const ROUND_MS = 20_000;
const MOST_ROUNDS = 200;
/** From then on every pool works, so that a run ends. */
const CALM = 25;
const AWAY_MS = 10_000;

/** Pools that fail at random, and the jobs that they have to finish. */
class Simulation {
  readonly #draw: Draw;
  readonly pools = [
    new SimulatedPool("gpu", 2, { regions: { box: false, points: false, clips: false, examples: false } }),
    new SimulatedPool("near", 1),
    new SimulatedPool("far", 3),
  ];
  readonly queue = new HeldQueue();
  /** Time at which a pool last gave no answer. */
  readonly #silentAt = new Map<string, number>();
  readonly problems: string[] = [];
  /** Counts how often each task's end was taken. */
  readonly ends = new Map<string, number>();

  constructor(draw: Draw) {
    this.#draw = draw;
    installPools(this.pools);
    for (const pool of this.pools) this.#watch(pool);
  }

  /** Checks each acceptance: no pool before it could have taken the task, and its lease is nowhere else. */
  #watch(pool: SimulatedPool): void {
    const submit = pool.submit.bind(pool);
    pool.submit = async (request) => {
      const answer = await submit(request);
      if (answer.outcome === "busy" && answer.perhapsTaken) this.#silentAt.set(pool.name, Date.now());
      if (!pool.running.has(request.key)) return answer;
      for (const other of this.pools) {
        if (other !== pool && other.begun.includes(request.key))
          this.problems.push(`${other.name} and ${pool.name} have both begun ${request.key}`);
      }
      for (const earlier of this.pools.slice(0, this.pools.indexOf(pool)))
        if (this.#couldHaveTaken(earlier, request))
          this.problems.push(`${pool.name} got ${request.key}, although ${earlier.name} was free`);
      return answer;
    };
  }

  #couldHaveTaken(pool: SimulatedPool, { type, regions = [] }: TaskRequest): boolean {
    const silentFor = Date.now() - (this.#silentAt.get(pool.name) ?? 0);
    const serves = type === "image" && (regions.length === 0 || pool.model.regions.box);
    return serves && pool.hasRoom && silentFor > AWAY_MS;
  }

  #fail(round: number): void {
    for (const pool of this.pools) {
      pool.condition = "up";
      if (round >= CALM) continue;
      pool.condition = this.#draw.oneOf(["up", "up", "up", "away", "silent"]);
      // A machine that is lost takes its tasks along.
      if (pool.condition === "away" && this.#draw.upTo(2) === 0) pool.running.clear();
      if (pool.condition === "away") this.#silentAt.set(pool.name, Date.now());
    }
  }

  /** Some of a pool's tasks end, others are handed back or only report progress. */
  async #report(pool: SimulatedPool): Promise<void> {
    for (const [key, request] of pool.running) {
      const report = this.#draw.oneOf(["complete", "complete", "progress", "returned"]);
      if (report === "progress") {
        const { status } = await callBack(request, "progress", { done: 0, total: 1 });
        if (status === 409) pool.running.delete(key);
        continue;
      }
      pool.running.delete(key);
      const completion = report === "complete" ? success() : ({ outcome: "returned" } as const);
      const { status } = await callBack(request, "complete", completion);
      const task = key.replace(/\.\d+$/, "");
      if (status === 204 && report === "complete") this.ends.set(task, (this.ends.get(task) ?? 0) + 1);
    }
  }

  async round(number: number, jobIds: readonly string[]): Promise<void> {
    this.#fail(number);
    await this.queue.deliver(this.#draw);
    for (const pool of this.pools) if (pool.condition !== "away") await this.#report(pool);
    later(ROUND_MS);
    for (const jobId of jobIds) await ring(jobId);
  }
}

it.each(Array.from({ length: amount({ short: 1, long: 60 }) }, (_, i) => i))(
  "pools that fail at random lose no task and run no lease twice, and the first that can gets it: run %i",
  async (run) => {
    const draw = new Draw(200_000);
    for (let skipped = 0; skipped < 1_000 * run; skipped += 1) draw.upTo(1);
    const client = await newClient();
    const simulation = new Simulation(draw);
    const plain = await newJob(client, 5);
    const tasks = await uploads(client, 3);
    const regions = tasks.map((taskId) => ({ taskId, box: [1, 1, 5, 5] }));
    const drawn = await client.send("POST", "/v1/jobs", { type: "image", tasks, regions });
    const jobIds = [plain.jobId, drawn.body.jobId];
    const isOver = async (): Promise<boolean> => {
      const jobs = await Promise.all(jobIds.map((id) => client.send("GET", `/v1/jobs/${id}`)));
      return jobs.every(({ body }) => body.status === "success" || body.status === "failed");
    };
    for (let round = 0; round < MOST_ROUNDS && !(await isOver()); round += 1)
      await simulation.round(round, jobIds);
    expect(simulation.problems).toEqual([]);
    const ended = [
      ...plain.tasks.map((taskId) => `${plain.jobId}.${taskId}`),
      ...tasks.map((taskId) => `${at(jobIds, 1)}.${taskId}`),
    ];
    const report = await Promise.all(jobIds.map((id) => env.JOBS.getByName(id).report()));
    const failed = report.flatMap((job) => job?.tasks.filter(({ at: step }) => step !== "success") ?? []);
    // Three leases that end without a word are an attempt each: only such a task may fail.
    expect(failed.filter(({ problem }) => problem !== "attempts_exhausted")).toEqual([]);
    expect(simulation.ends.size + failed.length).toBe(ended.length);
    expect([...simulation.ends.values()].every((ends) => ends === 1)).toBe(true);
  },
);
