import { existsSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/run.ts";
import { Journal } from "../../src/cli/segment/journal/journal.ts";
import { picture } from "../support/memory-client.ts";
import { type FakeOptions, fakeService } from "../support/fake-service.ts";
import { serve } from "../support/serve.ts";
import { type Ran, runCli } from "./support/run-cli.ts";

describe("a command line that is wrong", () => {
  const wrong = [
    [["make-coffee"], 'Unknown command "make-coffee". Commands: segment, jobs,'],
    [["segment"], "Name a picture, a folder or a URL"],
    [["segment", "samples/coffee.png"], "Say what to look for"],
    [["segment", "samples/coffee.png", "-p", " "], "A prompt is empty."],
    [["segment", "none.png", "-p", "cat"], "none.png does not exist. Check the path."],
    [["segment", "none/*.png", "-p", "cat"], "There are no pictures that match none/*.png."],
    [["segment", "samples/coffee.png", "-p", "cat", "--frmat", "png"], "Did you mean --format?"],
    [
      ["segment", "samples/coffee.png", "-p", "cat", "-f", "png"],
      "Unknown option '-f'. Did you mean --format",
    ],
    [["segment", "samples/coffee.png", "-p", "cat", "--output", "x"], "Did you mean --out?"],
    [["segment", "samples/coffee.png", "--prompts", "cat"], "Did you mean --prompt?"],
    [["segment", "samples/coffee.png", "-p", "cat", "--formats=png"], "Did you mean --format?"],
    [["segment", "samples/coffee.png", "-p", "cat", "-f", "png"], "--format"],
    [["jobs", "--states", "failed"], "Did you mean --status?"],
    [["account", "--qwertz"], "Unknown option '--qwertz'. See segmentation-client account --help."],
    [["jobs", "--api-key", "sk_live_secret"], "A key is never an argument"],
    [["jobs", "--token=sk_live_secret"], "A key is never an argument"],
    [["--base-url", "https://example.com", "jobs"], "Name a command before --base-url: segment, jobs,"],
    [["segment", "samples/coffee.png", "-p", "cat", "--format", "bmp"], "--format takes png, coco, yolo"],
    [["segment", "samples/coffee.png", "-p", "cat", "--threshold", "2"], "takes a number from 0 to 1"],
    [["segment", "samples/coffee.png", "--region", "1,2,3"], "--region takes a box such as 40,60,120,80"],
    [["segment", "samples/coffee.png", "--region", "1,2,3,0"], "--region takes a box such as 40,60,120,80"],
    [
      ["segment", "samples/coffee.png", "--region", "1,2@0.5"],
      "A --region has a time (@), which only videos take.",
    ],
    [
      ["segment", "samples/coffee.png", "--region", "#1:1,2"],
      "an object's number (#), which only videos take.",
    ],
    [
      ["segment", "samples/people-crossing.mp4", "-p", "cat", "--fps", "2", "--frames", "2"],
      "cannot be combined",
    ],
    [
      ["segment", "samples", "-p", "cat", "--out", "samples"],
      "The results would be saved among the pictures",
    ],
    [["jobs", "--status", "done"], "--status takes queued, processing, success, failed"],
    [["job"], "Name one job"],
    [["keys", "make", "x"], "Usage: keys, keys create LABEL"],
    [["webhooks", "create"], "Usage: webhooks, webhooks listen"],
    [["login", "sk_live_secret"], "type the key at the prompt"],
    [["account", "--base-url", "ftp://example.com"], "is not the address of a service"],
  ] as const;
  it.each(wrong)("%j ends with exit code 2 and a sentence", async (args, sentence) => {
    const env = { SEGMENTATION_BASE_URL: "http://fake.test" };
    const { code, out, err } = await runCli(args, { env });
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(sentence);
    expect(err).not.toContain("sk_live_secret");
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  it("that names no service, and has no login, ends with exit code 2 and says so", async () => {
    const { code, err } = await runCli(["account"]);
    expect([code, err]).toEqual([2, expect.stringContaining("No service is configured.")]);
  });

  it.each(["--version", "-v"])("%s prints the version", async (word) => {
    const { version }: { version: string } = JSON.parse(await readFile("client/package.json", "utf8"));
    expect(await runCli([word])).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });

  it("that is empty shows the commands, and ends with exit code 2", async () => {
    expect(await runCli([])).toMatchObject({ code: 2, out: expect.stringContaining("segment ") });
    expect((await runCli(["--help"])).code).toBe(0);
  });

  it.each(Object.keys(COMMANDS))("has help for %s, with an example, that fits a screen", async (name) => {
    const { code, out } = await runCli([name, "--help"]);
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(out).toContain(`segmentation-client ${name}`);
    for (const option of Object.keys(COMMANDS[name]?.options ?? {})) expect(out).toContain(`--${option}`);
  });
});

describe("segment", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "cli-"));
    await mkdir(join(folder, "photos"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const photo = (): Promise<void> => writeFile(join(folder, "photos/a.png"), picture(1));
  const segment = (env: Readonly<Record<string, string>>, ...more: string[]): Promise<Ran> =>
    runCli(["segment", join(folder, "photos"), "-p", "cat", "--out", join(folder, "out"), ...more], { env });
  const fake = async (play?: FakeOptions) => {
    const service = fakeService(play);
    const env = { SEGMENTATION_BASE_URL: await serve(service.app), SEGMENTATION_API_KEY: "sk_live_fake" };
    return { service, env };
  };

  it("says that a folder has no pictures", async () => {
    const { env } = await fake();
    const { code, err } = await segment(env);
    expect([code, err]).toEqual([2, expect.stringContaining("There are no pictures in")]);
    await writeFile(join(folder, "photos/a.mp4"), "");
    expect((await segment(env)).err).toContain("only 1 video. Pass a video's path");
  });

  it("says that the service does not answer", async () => {
    await photo();
    const { code, err } = await segment({
      SEGMENTATION_BASE_URL: "http://127.0.0.1:1",
      SEGMENTATION_API_KEY: "sk",
    });
    expect([code, err]).toEqual([1, expect.stringContaining("Check the address and the network")]);
    expect(err).toContain("run the same command again");
  });

  it("says that there is no key, and that a key is wrong, and never shows it", async () => {
    await photo();
    const { env, service } = await fake();
    const none = await segment({ SEGMENTATION_BASE_URL: env.SEGMENTATION_BASE_URL, HOME: folder });
    expect([none.code, none.err]).toEqual([1, expect.stringContaining("There is no API key for http")]);
    const wrong = await segment({ ...env, SEGMENTATION_API_KEY: "sk_live_of_another_service" });
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("does not accept this API key")]);
    expect(wrong.err + wrong.out).not.toContain("sk_live_of");
    expect(service.uploads.size).toBe(0);
  });

  it("says that the trial has expired, before it sends anything", async () => {
    await photo();
    const { env, service } = await fake({ access: { canCreateJobs: false, reason: "trial_expired" } });
    const { code, err } = await segment(env);
    expect([code, err]).toEqual([1, expect.stringContaining("The free trial has expired. Upgrade")]);
    expect(service.uploads.size).toBe(0);
  });

  it("says that the disk is full, and continues once it is not", async () => {
    if (!existsSync("/dev/full"))
      return console.log("This machine has no /dev/full: a full disk is not tested.");
    await photo();
    const { env, service } = await fake();
    const masks = join(folder, "out/masks/a.png");
    await mkdir(masks, { recursive: true });
    await symlink("/dev/full", join(masks, "0.png.part"));
    const { code, err } = await segment(env);
    expect([code, err]).toEqual([1, expect.stringContaining("The disk is full. Free some space, then run")]);
    await rm(join(masks, "0.png.part"));
    expect((await segment(env)).code).toBe(0);
    expect(await readdir(masks)).toEqual(["0.png"]);
    expect([service.jobs.size, service.uploads.size]).toEqual([1, 1]);
  });

  it("asks before it segments more than 10,000 pictures, which cost as many units", async () => {
    for (let i = 0; i < 10_001; i++) writeFileSync(join(folder, `photos/${i}.jpg`), "");
    const { env, service } = await fake();
    const { code, err } = await segment(env);
    expect([code, err]).toEqual([2, expect.stringContaining("There are 10,001 files to segment")]);
    expect(err).toContain("Add --yes to continue.");
    expect(service.asked).toEqual([]);
  });

  it("refuses other prompts for a folder that has results, another run at the same time, and a damaged journal", async () => {
    await photo();
    const { env } = await fake();
    await segment(env);
    const other = await segment(env, "-p", "dog");
    expect([other.code, other.err]).toEqual([
      2,
      expect.stringContaining("has results of a run with other prompts"),
    ]);
    const [, suggested = ""] = /Use another folder: --out (\S+)\n/.exec(other.err) ?? [];
    expect(suggested).toBe(join(folder, "out-2"));
    expect((await segment(env, "-p", "dog", "--out", suggested)).code, "the suggestion works").toBe(0);

    const running = await Journal.open(join(folder, "out"));
    const busy = await segment(env);
    expect([busy.code, busy.err]).toEqual([1, expect.stringContaining("Another run is writing to")]);
    running.close();
    expect((await segment(env)).code).toBe(0);

    const journal = join(folder, "out/segmentation-journal.jsonl");
    await writeFile(journal, `${await readFile(journal, "utf8")}{"entry"\n`);
    const damaged = await segment(env);
    expect([damaged.code, damaged.err]).toEqual([1, expect.stringContaining("is damaged")]);
  });
});
