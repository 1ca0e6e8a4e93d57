import { execFile } from "node:child_process";
import { mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../scripts/client/api-client.ts";
import { PROJECT_ROOT } from "../../scripts/shared/root.ts";
import { stateFolder } from "../../scripts/stack/state-folder.ts";
import { present } from "../support/at.ts";
import { PLANTED } from "../support/chaos/models.ts";
import { EventReader } from "../support/event-stream.ts";
import { databaseFile } from "../support/node/local-database.ts";
import { sample } from "../support/node/sample.ts";
import { spawnStack, type SpawnedStack } from "../support/node/spawn-stack.ts";

const run = promisify(execFile);
/** A model that takes no time: what is lost and found again does not depend on it. */
const ENV = {
  LEASE_SECONDS: "15",
  RESEND_SECONDS: "2",
  HEARTBEAT_SECONDS: "3",
  CHAOS_SERVICE: PLANTED.service,
  ...PLANTED.env,
};
const PROMPTS = ["bright"];

/** Copies the database as it is now, while the stack works. */
async function copyDatabase(data: string, copy: string): Promise<void> {
  const database = new DatabaseSync(await databaseFile(data));
  database.exec(`VACUUM INTO '${copy}'`);
  database.close();
}

/** Puts a copy in the database's place. The stack must not run. */
async function restoreDatabase(data: string, copy: string): Promise<void> {
  const file = await databaseFile(data);
  for (const suffix of ["", "-wal", "-shm"]) await rm(file + suffix, { force: true });
  await rename(copy, file);
}

describe("after an older copy of the database is put back", () => {
  let stateDir: string;
  let stack: SpawnedStack;

  const start = (): Promise<SpawnedStack> =>
    spawnStack({ stateDir, launcher: "test/support/chaos/start.ts", env: ENV });
  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), "restored-"));
    stack = await start();
  });
  afterAll(async () => {
    await stack.stop();
    await rm(stateDir, { recursive: true });
  });

  /** A command of the operator's: its exit code and its JSON. */
  async function admin(...args: string[]): Promise<{ code: number; rows: Record<string, string>[] }> {
    const node = [join("scripts", "admin.ts"), ...args, "--json"];
    const options = { cwd: PROJECT_ROOT, env: { ...process.env, STATE_DIR: stateDir } };
    try {
      return { code: 0, rows: JSON.parse((await run(process.execPath, node, options)).stdout) };
    } catch (error) {
      const { code, stdout } = Object(error);
      return { code, rows: JSON.parse(stdout) };
    }
  }

  /** Listens to a job's events, from where an earlier stream broke off. */
  const listen = (jobId: string, lastEventId: string | null = null): Promise<Response> =>
    fetch(`${stack.baseUrl}/v1/jobs/${jobId}/events`, {
      headers: {
        authorization: `Bearer ${stack.apiKey}`,
        ...(lastEventId !== null && { "last-event-id": lastEventId }),
      },
    });

  it("no job accepted since loses anything, the loss is reported, and relist repairs it [A1-9]", async () => {
    const { data, logs } = stateFolder(stateDir);
    const before = createClient(stack);
    const [cat, cup] = await Promise.all([
      before.upload(sample("chelsea"), "image/png"),
      before.upload(sample("coffee"), "image/png"),
    ]);
    const older = await before.createImageJob({ tasks: [cat], prompts: PROMPTS });
    await before.waitForJob(older.jobId);

    const copy = join(stateDir, "older.sqlite");
    await copyDatabase(data, copy);
    const person = await before.upload(sample("astronaut"), "image/png");
    const ended = await before.createImageJob({ tasks: [cup], prompts: PROMPTS });
    await before.waitForJob(ended.jobId);
    await before.waitForArchive(ended.jobId);
    const underWay = await before.createImageJob({
      tasks: [person, cat, cup],
      prompts: ["slow", ...PROMPTS],
    });
    const broken = new EventReader((await listen(underWay.jobId)).body);
    const heard = [await broken.next()];
    await stack.kill();
    await expect(broken.rest()).rejects.toThrow();
    await restoreDatabase(data, copy);

    stack = await start();
    const after = createClient(stack);
    expect((await after.listJobs()).items.map(({ jobId }) => jobId)).toEqual([older.jobId]);
    // What was under way ends, and what had ended is whole: its masks and its archive can be read.
    const stream = new EventReader((await listen(underWay.jobId, broken.lastEventId)).body);
    heard.push(...(await stream.rest()));
    const job = await after.retrieveJob(underWay.jobId);
    expect(job.status).toBe("success");
    // Over the restart, its events report the end once.
    expect(heard.filter((event) => event?.event === "end")).toEqual([
      { event: "end", id: stream.lastEventId, data: job },
    ]);
    expect((await listen(underWay.jobId, stream.lastEventId)).status).toBe(204);
    const wholeResult = async (jobId: string): Promise<void> => {
      const { manifest, assets } = await after.retrieveJobResult(jobId);
      expect(manifest.items.length).toBeGreaterThan(0);
      for (const { url } of assets) expect((await after.download(url)).length).toBeGreaterThan(0);
    };
    await wholeResult(ended.jobId);
    const archive = await after.waitForArchive(ended.jobId);
    expect((await after.download(present(archive.downloadUrl, "URL"))).length).toBeGreaterThan(0);

    const told = async () => {
      const lines = (await readFile(join(logs, "worker.log"), "utf8")).split("\n");
      return lines.filter((line) => line.includes('"job_unlisted"')).join("\n");
    };
    await expect.poll(told, { timeout: 150_000 }).toContain(underWay.jobId);

    const lost = expect.arrayContaining(
      [ended, underWay].map(({ jobId }) => expect.objectContaining({ jobId, found: "missing" })),
    );
    expect(await admin("relist", "--dry-run")).toEqual({ code: 1, rows: lost });
    expect(await admin("relist")).toEqual({ code: 0, rows: lost });
    expect(await admin("relist")).toEqual({ code: 0, rows: [] });
    expect(await admin("ledger-check")).toEqual({ code: 0, rows: [] });
    const { items } = await after.listJobs();
    expect(items.map(({ jobId, status }) => [jobId, status])).toEqual(
      [underWay, ended, older].map(({ jobId }) => [jobId, "success"]),
    );
    for (const { jobId } of items) await wholeResult(jobId);
  });
});
