import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { TaskRequest } from "@segmentation/protocol";
import { z } from "zod";
import { mapPool } from "../../../src/shared/pool.ts";
import { createAccountSomewhere, type Databases } from "../../operate/admin/databases.ts";
import { Row } from "../../shared/database/storage-calls.ts";
import type { BenchRequest } from "../arguments.ts";
import { processorTime } from "../../shared/processes.ts";
import { formatSpread, markdownTable, ratePerSecond, spread } from "../report.ts";
import { billTables, FIGURES, JobUse, labelOf } from "./bill.ts";
import { startIdleService } from "./idle-service.ts";
import { type BenchWorker, migrationStatements, withWorker } from "./with-worker.ts";

/** Numbers of databases for the accounts, one after another; the others are compared with the first. */
const DATABASES = [1, 4, 16] as const;
const NAMES = Array.from({ length: 16 }, (_, i) => (i === 0 ? "DB" : `DB_${i + 1}`));
const ACCOUNTS = 32;
/** Number of concurrent clients. */
const CLIENTS = 8;
const JOBS_A_ROUND = 48;
/** Numbers of single pictures and of batches that measure the cost of one job. */
const SINGLES = 32;
const BATCHES = 2;
/** The largest batch that a job takes. */
const BATCH = 100;

interface Account {
  readonly accountId: string;
  readonly secret: string;
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13];
/** The output of a picture's task: a mask's file is not in the bucket, because it is not read. */
const MASK = { name: "masks/0.png", contentType: "image/png", size: 1, md5: `${"A".repeat(22)}==` };
const OUTPUT = {
  type: "image",
  units: 1,
  generatedAt: new Date(0).toISOString(),
  preview: null,
  notice: null,
  masks: [{ maskIndex: 0, promptIndex: 0, confidence: 0.9, file: MASK.name }],
};

/** The service under load: the real Worker, whose inference service ends each task at once. */
class Bench {
  readonly #worker: BenchWorker;
  #uploads = 0;

  constructor(worker: BenchWorker) {
    this.#worker = worker;
  }

  /** Sends a request. @throws Error if it is refused */
  async send(secret: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const answer = await fetch(new URL(path, this.#worker.origin), {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return z.record(z.string(), z.unknown()).parse(text === "" ? {} : JSON.parse(text));
  }

  /** Reports a task's outputs and its end, with a heartbeat in between, as the inference service does. */
  async finish({ callbackUrl, callbackToken }: TaskRequest): Promise<void> {
    const { pathname } = new URL(callbackUrl);
    await this.send(callbackToken, `${pathname}/outputs`, { files: [MASK] });
    await this.send(callbackToken, `${pathname}/progress`, { done: 0, total: 1 });
    await this.send(callbackToken, `${pathname}/complete`, { outcome: "success", output: OUTPUT });
  }

  /** Runs a job with this many pictures, from the first presign to its result. */
  async job({ accountId, secret }: Account, pictures: number): Promise<void> {
    const tasks = await mapPool(Array.from({ length: pictures }), CLIENTS, async () => {
      const upload = { contentType: "image/png", size: PNG.length };
      const { taskId } = await this.send(secret, "/v1/uploads/presign", upload);
      await this.#worker.call({ do: "put", accountId, taskId, bytes: PNG });
      return taskId;
    });
    this.#uploads += pictures;
    const key = { "idempotency-key": randomUUID() };
    const { jobId } = await this.send(secret, "/v1/jobs", { type: "image", prompts: ["cat"], tasks }, key);
    const path = `/v1/jobs/${String(jobId)}`;
    for (let status: unknown = "queued"; status !== "success";)
      ({ status } = await this.send(secret, path, undefined, { prefer: "wait=60" }));
    await this.send(secret, `${path}/result`);
  }

  async sql(database: string, statements: readonly string[]) {
    const answer = await this.#worker.call({ do: "sql", database, statements });
    return z.object({ rows: z.array(z.array(Row)), bytes: z.number() }).parse(answer);
  }

  /** Waits until the databases have each job's end, and the queue each upload. */
  async settled(names: readonly string[]): Promise<void> {
    const open = "SELECT 1 FROM jobs WHERE status IN ('queued', 'processing') LIMIT 1";
    for (const name of names) while ((await this.sql(name, [open])).rows[0]?.length !== 0) await sleep(20);
    while ((await this.#counts())["events"] !== this.#uploads) await sleep(20);
  }

  async #counts(): Promise<Record<string, number>> {
    const counts = z.record(z.string(), z.number()).parse(await this.#worker.call({ do: "counts" }));
    return { ...counts, cpuMs: processorTime(this.#worker.mark) };
  }

  /** Returns the platform's work that `act` causes, until all has settled; `bytes` are those of the databases. */
  async measured(names: readonly string[], act: () => Promise<unknown>): Promise<Record<string, number>> {
    const sizes = async () => {
      let bytes = 0;
      for (const name of names) bytes += (await this.sql(name, ["SELECT 1"])).bytes;
      return bytes;
    };
    const before: Record<string, number> = { ...(await this.#counts()), bytes: await sizes() };
    await act();
    await this.settled(names);
    const after = { ...(await this.#counts()), bytes: await sizes() };
    return Object.fromEntries(Object.entries(after).map(([key, n]) => [key, n - (before[key] ?? 0)]));
  }

  /** Uses this many databases from now on. Returns new accounts in them. */
  async use(count: number, round: number): Promise<Account[]> {
    await this.#worker.call({ do: "use", databases: count });
    await this.sql("DB", ["UPDATE databases SET bytes = 0"]);
    const databases: Databases = new Map(
      NAMES.slice(0, count).map((name) => [
        name,
        { run: async (statements) => (await this.sql(name, statements)).rows },
      ]),
    );
    const numbers = Array.from({ length: ACCOUNTS }, (_, i) => i);
    return mapPool(numbers, 1, async (i) => {
      const email = `${count}-${round}-${i}@example.com`;
      return createAccountSomewhere(databases, { email, name: null, plan: "paid", keyLabel: "bench" });
    });
  }
}

interface Round {
  /** By database. */
  readonly accounts: readonly number[];
  readonly jobsPerSecond: number;
  readonly callsPerJob: number;
}

/** Measures accounts in this many databases, whose clients make jobs of a picture, several at a time. */
async function measureRound(bench: Bench, count: number, round: number): Promise<Round> {
  const names = NAMES.slice(0, count);
  const created = await bench.use(count, round);
  // Each account's first request finds its database.
  await mapPool(created, CLIENTS, ({ secret }) => bench.send(secret, "/v1/account"));
  const accounts: number[] = [];
  const ofRound = `SELECT count(*) AS n FROM accounts WHERE email LIKE '${count}-${round}-%'`;
  for (const name of names) accounts.push(Number((await bench.sql(name, [ofRound])).rows[0]?.[0]?.["n"]));
  const jobs = Array.from({ length: JOBS_A_ROUND }, (_, i) => created[i % created.length]);
  let ms = 0;
  const { calls = 0 } = await bench.measured(names, async () => {
    const begun = performance.now();
    await mapPool(jobs, CLIENTS, async (account) => account && bench.job(account, 1));
    ms = performance.now() - begun;
  });
  return {
    accounts,
    jobsPerSecond: ratePerSecond(jobs.length, ms),
    callsPerJob: calls / jobs.length,
  };
}

/** Measures the cost of one job, and of a batch: the mean of several, in one database. */
async function measureJobs(bench: Bench): Promise<{ single: JobUse; batch: JobUse }> {
  const accounts = await bench.use(1, 0);
  const usual = async (pictures: number, jobs: number): Promise<JobUse> => {
    const all = accounts.slice(0, jobs);
    // The first ones write rows of their accounts and pages of the database that the others only change.
    await mapPool(all, 1, (account) => bench.job(account, 1));
    await bench.settled(["DB"]);
    const use = await bench.measured(["DB"], () =>
      mapPool(
        Array.from({ length: jobs }, (_, i) => all[i % all.length]),
        1,
        async (account) => account && bench.job(account, pictures),
      ),
    );
    // With the printed precision, so that the bill can be computed from the printed figures.
    return JobUse.parse(
      Object.fromEntries(Object.entries(use).map(([key, n]) => [key, Math.round((10 * n) / jobs) / 10])),
    );
  };
  return { single: await usual(1, SINGLES), batch: await usual(BATCH, BATCHES) };
}

/** Measures the jobs' use of the platform, and the effect of several databases. Returns the report's lines. */
export async function benchCapacity({ rounds }: BenchRequest, signal: AbortSignal): Promise<string[]> {
  let finish: ((task: TaskRequest) => Promise<void>) | undefined;
  const failure = Promise.withResolvers<never>();
  const fail = (error: unknown) => failure.reject(error);
  signal.addEventListener("abort", () => fail(signal.reason));
  const service = await startIdleService((task) => void finish?.(task).catch(fail));
  const bindings = {
    LOCAL_STACK: { type: "plain_text", value: "yes" },
    INFERENCE_URL: { type: "plain_text", value: service.url },
    UPLOADS_QUEUE: { type: "queue", queue_name: "bench-uploads" },
    ...Object.fromEntries(
      NAMES.slice(1).map((name) => [name, { type: "d1", database_id: name, database_name: name }]),
    ),
  } as const;
  try {
    return await withWorker(signal, bindings, async (worker) => {
      await worker.call({ do: "open", statements: await migrationStatements() });
      const bench = new Bench(worker);
      finish = (task) => bench.finish(task);
      const measure = async (): Promise<string[]> => {
        const names = NAMES.map((name) => `('${name}', 0, 0)`).join(", ");
        await bench.sql("DB", [`INSERT INTO databases (name, bytes, added_at) VALUES ${names}`]);
        console.error(`${SINGLES} single pictures, then ${BATCHES} batches of ${BATCH}, in one database…`);
        const { single, batch } = await measureJobs(bench);
        const measured: (readonly Round[])[] = [];
        for (let round = 1; round <= rounds; round += 1) {
          console.error(`Round ${round} of ${rounds}: ${DATABASES.join(", ")} databases…`);
          measured.push(await mapPool(DATABASES, 1, (count) => measureRound(bench, count, round)));
        }
        return report(single, batch, measured);
      };
      return Promise.race([measure(), failure.promise]);
    });
  } finally {
    service.close();
  }
}

function report(single: JobUse, batch: JobUse, rounds: readonly (readonly Round[])[]): string[] {
  const row = (label: string, of: (round: Round, first: Round) => number[], decimals: number): string[] => [
    label,
    ...DATABASES.map((_, i) => {
      const values = rounds.flatMap((each) => {
        const [first, round] = [each[0], each[i]];
        return first && round ? of(round, first) : [];
      });
      return formatSpread(spread(values), decimals);
    }),
  ];
  return [
    "",
    ...markdownTable(
      ["mean of one job", `single picture (${SINGLES})`, `batch of ${BATCH} (${BATCHES})`],
      FIGURES.map((key) => [labelOf(key), single[key].toFixed(1), batch[key].toFixed(1)]),
    ),
    "",
    ...markdownTable(
      ["median [least–most]", ...DATABASES.map((n) => `in ${n} (${rounds.length})`)],
      [
        row(`accounts of ${ACCOUNTS} in a database`, ({ accounts }) => [...accounts], 0),
        row("jobs per second", ({ jobsPerSecond }) => [jobsPerSecond], 1),
        row("**÷ one database**", (round, first) => [round.jobsPerSecond / first.jobsPerSecond], 2),
        row("calls of the databases per job", ({ callsPerJob }) => [callsPerJob], 2),
      ],
    ),
    "",
    ...billTables({ single, batch }),
  ];
}
