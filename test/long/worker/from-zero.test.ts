import { expect, it } from "vitest";
import { Backlog } from "../../../src/operator/contract/operator.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { operate } from "../../support/worker/client/operator.ts";
import { Draw } from "../../support/worker/client/random.ts";
import { HeldQueue } from "../../support/worker/fakes/held-queue.ts";
import { callBack, success } from "../../support/worker/fakes/inference.ts";
import { installPools, SimulatedPool } from "../../support/worker/fakes/simulated-pool.ts";
import { ring } from "../../support/worker/fixtures/archives.ts";
import { entriesOf, ledgerFindings } from "../../support/worker/fixtures/ledger.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { later } from "../../support/worker/runtime/time.ts";

const ROUND_MS = 20_000;
/** A machine takes tasks a minute after its order. */
const START_ROUNDS = 3;
/** As in kubernetes/from-zero/scaled-object.yaml. */
const TASKS_PER_MACHINE = 6;
const MOST_MACHINES = 4;
/** A third machine that is lost would end the task: it has three attempts. */
const MOST_LOSSES = 2;
const MOST_ROUNDS = 400;

/** Machines that an autoscaler starts and stops by the backlog, and that vanish at random. */
class Fleet {
  readonly #draw: Draw;
  readonly #pool = new SimulatedPool("url", 0);
  readonly #queue = new HeldQueue();
  /** The rounds in which ordered machines arrive. */
  #arrivals: number[] = [];
  #machines = 0;
  readonly #losses = new Map<string, number>();
  /** Number of taken ends by task. */
  readonly ends = new Map<string, number>();
  mostMachines = 0;

  constructor(draw: Draw) {
    this.#draw = draw;
    installPools([this.#pool]);
  }

  get isAtZero(): boolean {
    return this.#machines === 0 && this.#arrivals.length === 0;
  }

  async round(now: number, jobIds: readonly string[]): Promise<void> {
    await this.#scale(now);
    await this.#lose();
    for (const [key, request] of this.#pool.running) {
      const { status } = await callBack(request, "complete", success());
      this.#pool.running.delete(key);
      const task = key.replace(/\.\d+$/, "");
      if (status === 204) this.ends.set(task, (this.ends.get(task) ?? 0) + 1);
    }
    await this.#queue.deliver(this.#draw);
    later(ROUND_MS);
    for (const jobId of jobIds) await ring(jobId);
  }

  async #scale(now: number): Promise<void> {
    const { runnable } = Backlog.parse((await operate("GET", "/backlog")).body);
    const wanted = Math.min(MOST_MACHINES, Math.ceil(runnable / TASKS_PER_MACHINE));
    this.#machines += this.#arrivals.filter((round) => round <= now).length;
    this.#arrivals = this.#arrivals.filter((round) => round > now);
    while (this.#machines + this.#arrivals.length < wanted) this.#arrivals.push(now + START_ROUNDS);
    if (wanted === 0) {
      this.#machines = 0;
      this.#arrivals = [];
    }
    this.#resize();
  }

  /** Ends a machine in every fourth round, with its tasks: it hands them back or is lost with them. */
  async #lose(): Promise<void> {
    if (this.#machines === 0 || this.#draw.upTo(3) > 0) return;
    const running = this.#draw.shuffled([...this.#pool.running]).slice(0, TASKS_PER_MACHINE);
    this.#machines -= 1;
    this.#resize();
    for (const [key, request] of running) {
      this.#pool.running.delete(key);
      const task = key.replace(/\.\d+$/, "");
      const losses = this.#losses.get(task) ?? 0;
      const isLost = losses < MOST_LOSSES && this.#draw.upTo(1) === 0;
      if (isLost) this.#losses.set(task, losses + 1);
      else expect((await callBack(request, "complete", { outcome: "returned" })).status).toBe(204);
    }
  }

  #resize(): void {
    this.#pool.capacity = this.#machines * TASKS_PER_MACHINE;
    this.#pool.condition = this.#machines === 0 ? "away" : "up";
    this.mostMachines = Math.max(this.mostMachines, this.#machines);
  }
}

it("machines that come from zero and vanish finish all pictures, charge each once, and go back to zero", async () => {
  const jobs = 10;
  const each = 100;
  const pictures = jobs * each;
  const charged = [
    ["reserve", each],
    ["settle", each],
    ["release", 0],
  ];
  const fleet = new Fleet(new Draw(1_000_000));
  const clients = await Promise.all(Array.from({ length: jobs }, () => newClient()));
  const jobIds: string[] = [];
  for (const client of clients) jobIds.push((await newJob(client, each)).jobId);
  const statuses = async (): Promise<{ status: string }[]> =>
    await Promise.all(
      clients.map(async (client, i) => (await client.send("GET", `/v1/jobs/${jobIds[i]}`)).body),
    );
  const isOver = async (): Promise<boolean> => (await statuses()).every(({ status }) => status === "success");
  let rounds = 0;
  while (rounds < MOST_ROUNDS && !(await isOver())) {
    await fleet.round(rounds, jobIds);
    rounds += 1;
  }
  const ideal = START_ROUNDS + 1 + Math.ceil(pictures / (MOST_MACHINES * TASKS_PER_MACHINE));
  const seconds = (count: number): number => (count * ROUND_MS) / 1_000;
  console.log(`${pictures} pictures: ${seconds(rounds)} s; ${seconds(ideal)} s if no machine vanished`);
  expect((await statuses()).map(({ status }) => status)).toEqual(jobIds.map(() => "success"));
  expect([...fleet.ends.values()]).toEqual(Array.from({ length: pictures }, () => 1));
  for (const id of jobIds) expect(await entriesOf(id)).toEqual(charged);
  expect(await ledgerFindings()).toEqual([]);
  expect(fleet.mostMachines).toBe(MOST_MACHINES);
  await fleet.round(rounds, jobIds);
  expect(fleet.isAtZero).toBe(true);
});
