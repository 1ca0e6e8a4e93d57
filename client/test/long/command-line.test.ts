import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import { type CocoDocument, type MasksJson, SegmentationClient } from "segmentation-client/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultsIn } from "../cli/support/tree.ts";
import { createAccount } from "../../../scripts/shared/database/accounts.ts";
import { openLocalDatabase } from "../../../scripts/shared/database/database.ts";
import { checkLedger } from "../../../scripts/operate/admin/ledger-check.ts";
import { stateFolder } from "../../../scripts/shared/state/state-folder.ts";
import { Draws } from "../../../test/support/chaos/draws.ts";
import { FIXTURE } from "../../../test/support/chaos/models.ts";
import { type Ended, startCommandLine } from "../../../test/support/clients/command-line.ts";
import { sample } from "../../../test/support/media/sample.ts";
import { type SpawnedStack, spawnStack } from "../../../test/support/stack/spawn-stack.ts";

const PICTURES = Number(process.env["COMMAND_LINE_PICTURES"] ?? 1_000);
const KILLS = 3;
const SIDE = 64;
const TRIAL_TOKENS = 100;
/** Pictures' jobs that the service gets at once, for comparison. */
const AT_ONCE = 4;

const nameOf = (picture: number): string => `${String(picture).padStart(4, "0")}.png`;
/** Requests are counted per minute of the clock: longer runs begin with one, to be comparable. */
const nextMinute = (): Promise<void> => sleep(60_000 - (Date.now() % 60_000));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Crops of the samples, each unlike all others. */
async function makePictures(folder: string): Promise<void> {
  const names = ["chelsea", "coffee", "astronaut"] as const;
  const samples = await Promise.all(
    names.map((name) => sharp(sample(name)).removeAlpha().raw().toBuffer({ resolveWithObject: true })),
  );
  for (let i = 0; i < PICTURES; i++) {
    const from = samples[i % samples.length];
    if (from === undefined) throw new Error("There are no samples.");
    const { width, height } = from.info;
    const [left, top] = [(i * 7) % (width - SIDE), (i * 3) % (height - SIDE)];
    const raw = { width, height, channels: 3 } as const;
    const crop = await sharp(from.data, { raw })
      .extract({ left, top, width: SIDE, height: SIDE })
      .raw()
      .toBuffer();
    crop.writeUIntBE(i, 0, 3);
    const png = sharp(crop, { raw: { width: SIDE, height: SIDE, channels: 3 } }).png();
    await png.toFile(join(folder, nameOf(i)));
  }
}

describe(`the command line over a folder of ${PICTURES} pictures`, () => {
  const draws = new Draws(`command line ${process.env["SEED"] ?? "0"}`);
  let folder: string;
  let stack: SpawnedStack;
  let client: SegmentationClient;
  let cleanMs = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "command-line-"));
    await mkdir(join(folder, "photos"));
    await makePictures(join(folder, "photos"));
    stack = await spawnStack({
      stateDir: join(folder, "state"),
      launcher: "test/support/chaos/start.ts",
      env: { ...FIXTURE.env, CHAOS_SERVICE: FIXTURE.service },
    });
    client = new SegmentationClient(stack);
  });
  afterAll(async () => {
    await stack.stop();
    await rm(folder, { recursive: true });
  });

  const out = (name: string): string => join(folder, name);
  const segment = (...args: string[]) =>
    startCommandLine(["segment", ...args], {
      SEGMENTATION_BASE_URL: stack.baseUrl,
      SEGMENTATION_API_KEY: stack.apiKey,
    });
  const start = (name: string) => segment(join(folder, "photos"), "-p", "bright", "--out", out(name));
  async function timed(name: string): Promise<Ended & { readonly ms: number }> {
    const begun = performance.now();
    const ended = await start(name).ended;
    return { ...ended, ms: performance.now() - begun };
  }
  const unitsUsed = async (): Promise<number> =>
    (await client.api.getAccountUsage()).days.reduce((sum, { units }) => sum + units, 0);
  const jobsMade = async (): Promise<number> => {
    let count = 0;
    for await (const _ of client.api.listJobs({ limit: 100 })) count++;
    return count;
  };

  it("takes little longer than the service itself", async () => {
    const paths = Array.from({ length: PICTURES }, (_, i) => join(folder, "photos", nameOf(i)));
    const batches = Array.from({ length: Math.ceil(PICTURES / 100) }, (_, i) =>
      paths.slice(i * 100, (i + 1) * 100),
    ).values();
    // A separate account: the two would share a rate of requests per minute.
    const account = { email: "library@example.com", name: "", plan: "paid", keyLabel: "test" } as const;
    const { secret } = await createAccount(
      await openLocalDatabase(stateFolder(join(folder, "state"))),
      account,
    );
    const library = new SegmentationClient({ baseUrl: stack.baseUrl, apiKey: secret });
    await nextMinute();
    const begun = performance.now();
    const work = async (): Promise<void> => {
      for (const batch of batches) await library.segment(batch, "bright", { formats: ["coco"] });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const bareMs = performance.now() - begun;

    const before = await unitsUsed();
    await nextMinute();
    const { code, out: printed, ms } = await timed("clean");
    expect([code, printed]).toEqual([
      0,
      expect.stringContaining(`${PICTURES.toLocaleString("en-US")} pictures`),
    ]);
    cleanMs = ms;
    expect((await unitsUsed()) - before).toBe(PICTURES);
    say(
      `${PICTURES} pictures: uploads, jobs and masks by the library ${(bareMs / 1_000).toFixed(1)} s, ` +
        `the command line ${(ms / 1_000).toFixed(1)} s: ${(ms / bareMs).toFixed(2)} times as long`,
    );
  });

  it(`killed ${KILLS} times and run again comes to the same, and nothing is charged twice`, async () => {
    const [units, jobs] = [await unitsUsed(), await jobsMade()];
    for (let i = 0; i < KILLS; i++) {
      const { child, ended } = start("killed");
      const after = (cleanMs * draws.between(10, 30)) / 100;
      await sleep(after);
      child.kill("SIGKILL");
      say(`killed after ${(after / 1_000).toFixed(1)} s: exit code ${(await ended).code}`);
    }
    expect((await timed("killed")).code).toBe(0);
    expect(await resultsIn(out("killed"))).toEqual(await resultsIn(out("clean")));
    expect((await unitsUsed()) - units).toBe(PICTURES);
    expect((await jobsMade()) - jobs).toBe(Math.ceil(PICTURES / 100));
    const database = await openLocalDatabase(stateFolder(join(folder, "state")));
    const { findings, summary } = await checkLedger(database, TRIAL_TOKENS, Date.now());
    say(summary);
    expect(findings).toEqual([]);
  });

  it("does nothing the second time, and makes one job of one changed picture", async () => {
    const jobs = await jobsMade();
    const again = await timed("clean");
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("nothing has changed")]);
    say(`the same folder again: ${(again.ms / 1_000).toFixed(2)} s`);
    expect(await jobsMade()).toBe(jobs);

    const units = await unitsUsed();
    await writeFile(join(folder, "photos", nameOf(PICTURES >> 1)), sample("coffee"));
    const changed = await timed("clean");
    expect(changed.code).toBe(0);
    say(`one changed picture: ${(changed.ms / 1_000).toFixed(2)} s`);
    expect([(await jobsMade()) - jobs, (await unitsUsed()) - units]).toEqual([1, 1]);
    const coco: CocoDocument = JSON.parse(await readFile(join(out("clean"), "annotations.json"), "utf8"));
    expect(coco.images).toHaveLength(PICTURES);
    expect(coco.images[PICTURES >> 1]).toMatchObject({ width: 600, height: 400 });
  });

  it("tracks objects in a video, and again without charging a frame twice", async () => {
    const args = ["samples/people-crossing.mp4", "-p", "bright", "--frames", "3", "--preview"];
    const clip = () => segment(...args, "--out", out("clip")).ended;
    const units = await unitsUsed();
    const first = await clip();
    expect([first.code, first.err]).toEqual([0, ""]);
    say(first.out);
    expect(first.out).toMatch(/^people-crossing\.mp4 +\d+ +bright +\d\.\d s +\d\.\d s +\d +\d\.\d\d$/m);
    const masks = await readFile(join(out("clip"), "masks/people-crossing.mp4/masks.json"), "utf8");
    const { frames }: MasksJson = JSON.parse(masks);
    expect(frames).toHaveLength(3);
    expect(Object.keys(await resultsIn(out("clip")))).toEqual([
      "annotations.json",
      "annotations/people-crossing.mp4.json",
      "masks/people-crossing.mp4/masks.json",
      "preview/people-crossing.mp4.mp4",
    ]);
    expect((await clip()).out).toContain("nothing has changed");
    expect((await unitsUsed()) - units).toBe(3);
  });

  it("asks before it segments a folder of 100,000 pictures", async () => {
    await mkdir(join(folder, "many"));
    for (let i = 0; i < 100_000; i++) writeFileSync(join(folder, "many", `${i}.jpg`), "");
    const begun = performance.now();
    const { code, err } = await segment(join(folder, "many"), "-p", "x", "--out", out("asked")).ended;
    expect([code, err]).toEqual([2, expect.stringContaining("There are 100,000 files to segment")]);
    say(`100,000 files: ${((performance.now() - begun) / 1_000).toFixed(2)} s until the question`);
  });
});
