import { appendFileSync, cpSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { SegmentationClient } from "segmentation-client/node";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { parseOrder } from "../../src/cli/segment/arguments.ts";
import { findInputs } from "../../src/cli/segment/inputs/find-inputs.ts";
import { Journal, JOURNAL_NAME } from "../../src/cli/segment/journal/journal.ts";
import { folderStore } from "../../src/cli/segment/output/store.ts";
import { segmentAll } from "../../src/cli/segment/run/segment-all.ts";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { memoryFetch, picture } from "../support/memory-client.ts";
import { NOT_A_PICTURE, type FakeService, fakeService } from "../support/fake-service.ts";
import { resultsIn } from "./support/tree.ts";

const PICTURES = 4;
const PICTURES_PER_JOB = 2;
/** Uploads and downloads that may be under way when a process is killed. */
const UNDER_WAY = 6;

/** A run of the tests takes every n-th step, another run others. */
const EVERY = isLong ? 1 : 6;

/** The moment of a kill: the number of steps before it, and the written share of a journal's line. */
interface Kill {
  readonly step: number;
  readonly tornPercent: number;
}

/** Never settles: its process is gone. */
const gone = <T>(): Promise<T> => new Promise<T>(() => {});

/** Runs over a folder with `photos`; `onStep` comes before and after each request, and before and after each entry. */
async function runOver(folder: string, service: FakeService, onStep: (line?: string) => void): Promise<void> {
  const out = join(folder, "out");
  const { order } = parseOrder([join(folder, "photos"), "-p", "cup"]);
  const { inputs } = await findInputs(order.inputs, out);
  let isGone = false;
  const step = (line?: string): void => {
    try {
      onStep(line);
    } catch (error) {
      isGone = true;
      throw error;
    }
  };
  const fetch: typeof globalThis.fetch = async (url, init) => {
    if (isGone) return await gone();
    step();
    const response = await memoryFetch(service)(url, init);
    if (isGone) return await gone();
    step();
    return response;
  };
  const client = new SegmentationClient({ baseUrl: "http://fake.test", apiKey: "sk_live_fake", fetch });
  const journal = await Journal.open(out);
  const append = journal.append.bind(journal);
  journal.append = (entry, how) => {
    if (isGone) throw new Error("gone");
    step(JSON.stringify(entry));
    append(entry, how);
    step();
  };
  try {
    await segmentAll({
      client: () => Promise.resolve(client),
      journal,
      order,
      out,
      store: folderStore(out),
      found: inputs,
      signal: new AbortController().signal,
      onBegin: () => {},
      onShare: () => {},
      onBusy: () => {},
      onSent: () => {},
      onMissing: () => {},
    });
  } finally {
    if (!isGone) journal.close();
  }
}

/** Copies a folder; again if a file is given its final name meanwhile, which a thread of the file system does at any time. */
function copyWhole(from: string, to: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      return cpSync(from, to, { recursive: true, preserveTimestamps: true });
    } catch (error) {
      const isRenamed = error instanceof Error && "code" in error && error.code === "ENOENT";
      if (!isRenamed || attempt === 10) throw error;
      rmSync(to, { recursive: true, force: true });
    }
  }
}

/**
 * Runs until the kill, and copies the folder at that moment to `next`. Returns true if the run was killed before its
 * end.
 */
async function runUntil(kill: Kill, folder: string, next: string, service: FakeService): Promise<boolean> {
  let left = kill.step;
  const killed = Promise.withResolvers<true>();
  const run = runOver(folder, service, (line) => {
    if (left-- > 0) return;
    try {
      // At once: nothing of the killed run comes between.
      copyWhole(folder, next);
    } catch (error) {
      killed.reject(error);
      throw error;
    }
    if (line !== undefined)
      appendFileSync(join(next, "out", JOURNAL_NAME), line.slice(0, (line.length * kill.tornPercent) / 100));
    killed.resolve(true);
    throw new Error("killed");
  });
  return await Promise.race([killed.promise, run.then(() => false)]);
}

async function prepared(folder: string): Promise<string> {
  await mkdir(join(folder, "photos"), { recursive: true });
  for (let i = 0; i < PICTURES; i++) await writeFile(join(folder, `photos/${i}.png`), picture(i));
  await writeFile(join(folder, "photos/broken.png"), NOT_A_PICTURE);
  return folder;
}

describe("a run that is killed and run again", () => {
  const roots: string[] = [];
  const root = async (): Promise<string> => {
    roots.push(await mkdtemp(join(tmpdir(), "crashes-")));
    return roots.at(-1) ?? "";
  };
  afterEach(async () => {
    for (const path of roots.splice(0)) await rm(path, { recursive: true });
  });

  const play = (): FakeService =>
    fakeService({ looks: 1, access: { maxImageTasksPerJob: PICTURES_PER_JOB } });
  let expected: Record<string, string>;
  let steps = 0;
  beforeAll(async () => {
    const clean = await prepared(join(await root(), "clean"));
    await runOver(clean, play(), () => void steps++);
    expected = await resultsIn(join(clean, "out"));
    expect(Object.keys(expected)).toHaveLength(1 + 2 * PICTURES);
  });

  /**
   * Runs over a new folder with these kills, then to the end, and expects the results and the cost of one clean run.
   */
  async function expectSameEnd(kills: readonly Kill[]): Promise<void> {
    const service = play();
    const scratch = await root();
    let folder = await prepared(join(scratch, "0"));
    for (const [i, each] of kills.entries()) {
      const next = join(scratch, String(i + 1));
      if (await runUntil(each, folder, next, service)) folder = next;
    }
    await runOver(folder, service, () => {});
    expect(await resultsIn(join(folder, "out"))).toEqual(expected);
    const charged = [...service.jobs.values()].flatMap(({ request }) => request.tasks);
    expect(charged, "each picture is in one job").toHaveLength(PICTURES + 1);
    const sent = [...service.uploads.values()].filter(({ bytes }) => bytes !== null);
    expect(sent.length).toBeLessThanOrEqual(PICTURES + 1 + UNDER_WAY * kills.length);

    const journal = await readFile(join(folder, "out", JOURNAL_NAME), "utf8");
    const noted = journal.split("\n").filter((line) => line.startsWith('{"entry":"outcome"'));
    expect(noted, "results are written once").toHaveLength(PICTURES + 1);

    const asked = service.asked.length;
    await runOver(folder, service, () => {});
    expect(service.asked, "the next run asks for nothing").toHaveLength(asked);
  }

  it("ends the same if killed at any step, and nothing is charged or sent twice", async () => {
    expect(steps).toBeGreaterThan(80);
    const first = Number(process.env["SEED"]) % EVERY;
    for (let step = first; step < steps; step += EVERY)
      await expectSameEnd([{ step, tornPercent: (7 * step) % 101 }]);
  });

  it("ends the same if killed repeatedly", async () => {
    const kill = fc.record({ step: fc.nat(steps), tornPercent: fc.nat(100) });
    await fc.assert(fc.asyncProperty(fc.array(kill, { minLength: 2, maxLength: 5 }), expectSameEnd), {
      numRuns: isLong ? 60 : 8,
    });
  });
});
