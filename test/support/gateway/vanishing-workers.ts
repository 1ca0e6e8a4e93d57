import { expect } from "vitest";
import { CONNECTIONS, mapPool } from "../../../src/shared/pool.ts";
import type { Child } from "../../../scripts/shared/child.ts";
import { Draws } from "../chaos/draws.ts";
import { jobReports, ledgerFindings, settledUnits } from "../chaos/outcome.ts";
import { sample } from "../media/sample.ts";
import type { GatewayStack } from "./start-gateway-stack.ts";
import { addedToken, startWorkerService, workersOf } from "./start-services.ts";

export interface Vanishing {
  readonly workers: number;
  readonly jobs: number;
  readonly tasksPerJob: number;
  /** True to restart the Worker once. */
  readonly restarts: boolean;
}

const POLL_MS = 100;
/** The Worker restarts after this many workers have vanished. */
const RESTART_AFTER = 4;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Workers of the gateway, of which one after the other is killed, or stops, and comes back. */
class Fleet {
  readonly #rig: GatewayStack;
  readonly #tokens: readonly string[];
  readonly #services: (Child | null)[];
  readonly #draws: Draws;
  /** Milliseconds until the gateway had taken a killed worker's leases back. */
  readonly takenBackMs: number[] = [];

  constructor(rig: GatewayStack, tokens: readonly string[], draws: Draws) {
    this.#rig = rig;
    this.#tokens = tokens;
    this.#services = tokens.map(() => null);
    this.#draws = draws;
  }

  async start(index: number): Promise<void> {
    const { child } = await startWorkerService(
      this.#rig.stack.baseUrl,
      this.#rig.folder,
      this.#tokens[index] ?? "",
      { QUEUE_CAPACITY: "4", IN_FLIGHT: "2" },
    );
    this.#services[index] = child;
  }

  /** Kills one of the workers while it has tasks, or stops it properly, and starts it again. */
  async disturb(isOver: () => Promise<boolean>): Promise<void> {
    const index = this.#draws.between(0, this.#tokens.length - 1);
    const isKilled = this.takenBackMs.length === 0 || this.#draws.between(0, 2) > 0;
    const tasks = async () => (await workersOf(this.#rig.api))[index]?.tasks ?? 0;
    while ((await tasks()) === 0) {
      if (await isOver()) return;
      await sleep(POLL_MS);
    }
    await this.#services[index]?.stop(isKilled ? 0 : 2_000);
    const begun = performance.now();
    while ((await tasks()) > 0) await sleep(POLL_MS);
    if (isKilled) this.takenBackMs.push(Math.round(performance.now() - begun));
    await sleep(this.#draws.between(0, 1_000));
    await this.start(index);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#services.map(async (service) => service?.stop(2_000)));
  }
}

const unitsOf = async ({ state }: GatewayStack): Promise<number> =>
  [...(await settledUnits(state)).values()].reduce((sum, units) => sum + units, 0);

/** Settings with which no lease ends by itself: only the gateway gives a lost worker's tasks back. */
export const LONG_LEASES = { LEASE_SECONDS: "3600" };

/**
 * Runs tasks while workers vanish and come back at random. Every task has to end once, at its first attempt.
 * @param rig a stack without tasks and other services, with `LONG_LEASES` unless the Worker restarts
 */
export async function runVanishing(rig: GatewayStack, run: Vanishing): Promise<void> {
  const { workers, jobs, tasksPerJob, restarts } = run;
  const count = jobs * tasksPerJob;
  const before = await unitsOf(rig);
  const tokens: string[] = [];
  for (let i = 0; i < workers; i += 1) tokens.push(await addedToken(rig.api, `worker-${i}`));
  const fleet = new Fleet(rig, tokens, new Draws(`gateway ${process.env["SEED"]}`));
  try {
    await Promise.all(tokens.map((_, i) => fleet.start(i)));
    const batches: string[][] = [];
    for (let job = 0; job < jobs; job += 1) {
      const pictures = Array.from({ length: tasksPerJob }, () => sample("coffee"));
      batches.push(
        await mapPool(pictures, CONNECTIONS, (picture) => rig.client.upload(picture, "image/png")),
      );
    }
    const jobIds = await Promise.all(
      batches.map(async (tasks) => (await rig.client.createImageJob({ tasks, prompts: ["slow"] })).jobId),
    );
    const isOver = async (): Promise<boolean> => {
      const all = await Promise.all(jobIds.map((jobId) => rig.client.retrieveJob(jobId)));
      return all.every(({ status }) => status === "success" || status === "failed");
    };
    for (let vanished = 1; !(await isOver()); vanished += 1) {
      await fleet.disturb(isOver);
      if (restarts && vanished === RESTART_AFTER) await rig.restart();
    }
    for (const jobId of jobIds)
      expect(await rig.client.retrieveJob(jobId)).toMatchObject({ status: "success" });
    expect(fleet.takenBackMs).not.toEqual([]);
    const reports = await jobReports(rig.state, rig.stack.baseUrl, jobIds);
    const ends = reports.flatMap(({ tasks }) => tasks);
    expect(ends.filter(({ at }) => at === "success")).toHaveLength(count);
    // A claim whose consumer ended with the Worker is an attempt.
    if (!restarts) expect(ends.filter(({ attempts }) => attempts !== 1)).toEqual([]);
    expect(await ledgerFindings(rig.state)).toEqual([]);
    expect((await unitsOf(rig)) - before).toBe(count);
    console.log(`leases of killed workers were taken back after ${fleet.takenBackMs.join(", ")} ms`);
  } finally {
    await fleet.stop();
  }
}
