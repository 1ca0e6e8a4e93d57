import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CocoDocument, mergeCoco } from "segmentation-client/masks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { picture, sumOfPicture } from "../support/memory-client.ts";
import { NOT_A_PICTURE, type FakeOptions, fakeService, TOO_LARGE } from "../support/fake-service.ts";
import { serve } from "../support/serve.ts";
import { maskFile, ring } from "../support/shapes.ts";
import { controlC, type Ran, runCli, type RunOptions } from "./support/run-cli.ts";

describe("segment", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "cli-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const put = async (name: string, bytes: Uint8Array | string): Promise<string> => {
    const path = join(folder, name);
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, bytes);
    return path;
  };
  const out = (): string => join(folder, "out");
  const written = async (): Promise<string[]> =>
    (await readdir(out(), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(out().length + 1))
      .filter((name) => !name.startsWith("segmentation-journal"))
      .toSorted();
  async function fake(play?: FakeOptions) {
    const service = fakeService(play);
    const env = { SEGMENTATION_BASE_URL: await serve(service.app), SEGMENTATION_API_KEY: "sk_live_fake" };
    const segment = (args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
      runCli(["segment", ...args, "--out", out()], { env, ...options });
    return { service, env, segment };
  }

  it("saves the masks and one COCO document of a file, a folder, a pattern and a URL, and prints a table", async () => {
    const { service, segment } = await fake();
    await put("photos/a.png", picture(1));
    await put("photos/deep/a.png", picture(2));
    await put("photos/notes.txt", "no picture");
    await put("more/b.jpg", picture(3));
    await put("more/b.txt", "no picture");
    const single = await put("c.png", picture(4));
    const args = [single, join(folder, "photos"), join(folder, "more/*.jp*"), "https://example.com/d.png"];
    const { code, out: printed } = await segment([...args, "-p", "cup", "-p", "red cup"]);
    expect(code).toBe(0);
    const names = ["a.png", "b.jpg", "c.png", "d.png", "deep/a.png"];
    expect(await written()).toEqual(
      [
        "annotations.json",
        ...names.flatMap((name) => [
          `annotations/${name}.json`,
          `masks/${name}/0.png`,
          `masks/${name}/1.png`,
        ]),
      ].toSorted(),
    );
    const coco: CocoDocument = JSON.parse(await readFile(join(out(), "annotations.json"), "utf8"));
    expect(coco.images.map(({ file_name }) => file_name)).toEqual(names);
    expect(coco.annotations).toHaveLength(10);
    const own = names.map((name) => readFile(join(out(), `annotations/${name}.json`), "utf8"));
    expect(coco).toEqual(mergeCoco((await Promise.all(own)).map((text) => JSON.parse(text))));
    expect(printed).toMatch(/^c\.png +red cup +0\.80 +\d+,\d+,\d+,\d+ +\d+$/m);
    expect(printed).toContain(`5 pictures with 10 masks: ${out()}/`);
    expect(service.jobs.size).toBe(1);
  });

  it("does nothing the second time, without a request, and makes one job for changed files", async () => {
    const { service, segment } = await fake();
    for (let i = 0; i < 5; i++) await put(`photos/${i}.png`, picture(i));
    const args = [join(folder, "photos"), "-p", "cup"];
    await segment(args);
    const asked = service.asked.length;
    const again = await segment(args);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("nothing has changed")]);
    expect(service.asked).toHaveLength(asked);

    await utimes(join(folder, "photos/1.png"), 1, 1);
    await segment(args);
    expect(service.asked, "another time, the same bytes").toHaveLength(asked);

    await put("photos/3.png", picture(30));
    expect((await segment(args)).code).toBe(0);
    expect([...service.jobs.values()].map(({ request }) => request.tasks.length)).toEqual([5, 1]);
    const coco: CocoDocument = JSON.parse(await readFile(join(out(), "annotations.json"), "utf8"));
    expect(coco.images).toHaveLength(5);
  });

  it("never puts more pictures into a job than the account may", async () => {
    const { service, segment } = await fake({ access: { maxImageTasksPerJob: 3 } });
    for (let i = 0; i < 7; i++) await put(`photos/${i}.png`, picture(i));
    await segment([join(folder, "photos"), "-p", "cup"]);
    expect([...service.jobs.values()].map(({ request }) => request.tasks.length)).toEqual([3, 3, 1]);
  });

  it("lists what failed, ends with exit code 1, and tries it again only on request", async () => {
    const { service, segment } = await fake();
    await put("photos/a.png", picture(1));
    await put("photos/b.png", NOT_A_PICTURE);
    await put("photos/empty.png", "");
    await put("photos/c.heic", Buffer.from("\0\0\0\x18ftypheic\0\0\0\0", "latin1"));
    const args = [join(folder, "photos"), "-p", "cup"];
    const { code, err, out: printed } = await segment(args);
    expect(code).toBe(1);
    expect(err).toContain("failed  b.png: The file is a text. Upload a picture.");
    expect(err).toContain("failed  empty.png: The file is empty.");
    expect(err).toMatch(/failed {2}c\.heic: The file is HEIC.*Convert it to JPEG/);
    expect(printed).toContain("1 picture with 1 mask, 3 failed");
    expect(service.jobs.size).toBe(1);

    const again = await segment(args);
    expect([again.code, service.jobs.size]).toEqual([1, 1]);
    expect(again.err).toContain("--retry-failed");
    await segment([...args, "--retry-failed"]);
    expect(service.jobs.size).toBe(2);
  });

  it("draws regions, saves previews, and prints everything for programs", async () => {
    const { service, segment } = await fake();
    const path = await put("a.png", picture(1));
    const args = [path, "--region", "4,5,20,30", "--preview", "--format", "png", "--json"];
    const { code, out: printed } = await segment(args);
    expect(code).toBe(0);
    expect([...service.jobs.values()][0]?.request).toMatchObject({ regions: [{ box: [4, 5, 20, 30] }] });
    expect(await written()).toEqual(["masks/a.png/0.png", "preview/a.png.png"]);
    expect(JSON.parse(printed)).toMatchObject({
      out: out(),
      videos: [],
      pictures: [
        {
          name: "a.png",
          failed: false,
          problem: null,
          masks: [{ prompt: "region", confidence: 0.9, area: expect.any(Number) }],
          files: ["masks/a.png/0.png", "preview/a.png.png"],
        },
      ],
    });
  });

  it("takes points as regions, one or several, on the object and outside it", async () => {
    const { service, segment } = await fake();
    const path = await put("a.png", picture(1));
    expect((await segment([path, "--region", "430,200", "--region", "1.5,2;!3,4"])).code).toBe(0);
    const [taskId] = service.uploads.keys();
    expect([...service.jobs.values()][0]?.request).toMatchObject({
      regions: [
        { taskId, points: [{ x: 430, y: 200, label: 1 }] },
        {
          taskId,
          points: [
            { x: 1.5, y: 2, label: 1 },
            { x: 3, y: 4, label: 0 },
          ],
        },
      ],
    });
  });

  it("names the region: in the masks, and in the classes of YOLO labels", async () => {
    const { segment } = await fake();
    const path = await put("a.png", picture(1));
    const regions = ["--region", "saucer: 430,200", "--region", "4,5", "--region", "cup: 4,5,20,30"];
    const { out: printed } = await segment([path, "-p", "cup", ...regions, "--format", "yolo", "--json"]);
    expect(JSON.parse(printed).pictures[0].masks.map(({ prompt }: { prompt: string }) => prompt)).toEqual([
      "cup",
      "saucer",
      "region",
      "cup",
    ]);
    expect(await readFile(join(out(), "data.yaml"), "utf8")).toContain(
      '  0: "cup"\n  1: "saucer"\n  2: "region"\n',
    );
  });

  it("names the classes of YOLO labels", async () => {
    const { segment } = await fake();
    const path = await put("a.png", picture(1));
    await segment([path, "-p", "cup", "-p", 'a "red" cup', "--format", "yolo"]);
    expect(await readFile(join(out(), "data.yaml"), "utf8")).toBe(
      'train: images\nval: images\nnames:\n  0: "cup"\n  1: "a \\"red\\" cup"\n',
    );
  });

  it("continues with a job in progress after one of its pictures has changed, and segments that one again", async () => {
    const { service, segment } = await fake({ looks: 200 });
    await put("photos/a.png", picture(1));
    await put("photos/b.png", picture(2));
    const args = [join(folder, "photos"), "-p", "cup"];
    const { signal, press } = controlC();
    const stopped = segment(args, { signal });
    await expect.poll(() => service.jobs.size, { interval: 1 }).toBe(1);
    press();
    await stopped;
    for (const job of service.jobs.values()) job.looks = 1;
    await put("photos/a.png", picture(3));
    expect((await segment(args)).code).toBe(0);
    expect([...service.jobs.values()].map(({ request }) => request.tasks.length)).toEqual([2, 1]);
    expect(new Uint8Array(await readFile(join(out(), "masks/a.png/0.png")))).toEqual(
      maskFile(ring(sumOfPicture(3)), "cup"),
    );
    expect((await segment(args)).out).toContain("nothing has changed");
  });

  it("waits while the account has its maximum of jobs in progress, and halves a job that is refused for one picture", async () => {
    const { service, segment } = await fake();
    for (let i = 0; i < 5; i++) await put(`photos/${i}.png`, picture(i));
    await put("photos/large.png", TOO_LARGE);
    service.refusals.push(["too_many_active_jobs", 0]);
    const { code, err } = await segment([join(folder, "photos"), "-p", "cup"]);
    expect(code).toBe(1);
    expect(err).toContain("Waiting: Too many jobs of this account are in progress.");
    expect(err).toContain("failed  large.png:");
    const charged = [...service.jobs.values()].flatMap(({ request }) => request.tasks);
    expect(new Set(charged).size).toBe(5);
    expect(charged).toHaveLength(5);
  });

  it("stopped while it waited, asks for the same job again, and halves it if it is refused then", async () => {
    const { service, segment } = await fake();
    await put("photos/a.png", picture(1));
    await put("photos/large.png", TOO_LARGE);
    service.refusals.push(["too_many_active_jobs", 600]);
    const args = [join(folder, "photos"), "-p", "cup"];
    const { signal, press } = controlC();
    const stopped = segment(args, { signal, onReport: (line) => line.startsWith("Waiting") && press() });
    expect((await stopped).code).toBe(130);
    const { code, out: printed } = await segment(args);
    expect([code, printed]).toEqual([1, expect.stringContaining("1 picture with 1 mask, 1 failed")]);
    expect([service.jobs.size, service.uploads.size]).toEqual([1, 2]);
  });

  it("repeats uploads and jobs that the service no longer has", async () => {
    const { service, segment } = await fake({ looks: 200 });
    await put("photos/a.png", picture(1));
    const args = [join(folder, "photos"), "-p", "cup"];
    const { signal, press } = controlC();
    const stopped = segment(args, { signal });
    await expect.poll(() => service.jobs.size, { interval: 1 }).toBe(1);
    press();
    await stopped;
    service.jobs.clear();
    service.uploads.clear();
    const { code } = await segment(args);
    expect([code, service.jobs.size, service.uploads.size]).toEqual([0, 1, 1]);
  });

  it("follows the objects of a video, and saves masks.json and the preview", async () => {
    const { service, segment } = await fake();
    await put("clips/cat.mp4", picture(1));
    const { code, out: printed } = await segment([
      join(folder, "clips/*.mp4"),
      "-p",
      "cat",
      "-p",
      "dog",
      "--fps",
      "2",
      "--preview",
    ]);
    expect(code).toBe(0);
    expect([...service.jobs.values()][0]?.request).toMatchObject({ type: "video", fps: 2 });
    expect(await written()).toEqual([
      "annotations.json",
      "annotations/cat.mp4.json",
      "masks/cat.mp4/masks.json",
      "preview/cat.mp4.mp4",
    ]);
    expect(printed).toMatch(/^cat\.mp4 +\d+ +cat +0\.0 s +0\.5 s +2 +0\.80$/m);
    expect(printed).toContain(`1 video: ${out()}/`);
  });

  it("tracks the region in a video from the given time", async () => {
    const { service, segment } = await fake();
    const path = await put("camel.mp4", picture(1));
    const { code, out: printed } = await segment([
      path,
      "--region",
      "camel#1: 4,5@0.5s",
      "--region",
      "camel#1: 6,5@2s",
    ]);
    expect(code).toBe(0);
    const [taskId] = service.uploads.keys();
    const { request } = [...service.jobs.values()][0] ?? {};
    expect(request).toMatchObject({
      regions: [
        { taskId, points: [{ x: 4, y: 5, label: 1 }], timeSeconds: 0.5, objectId: 1, label: "camel" },
        { taskId, points: [{ x: 6, y: 5, label: 1 }], timeSeconds: 2, objectId: 1, label: "camel" },
      ],
    });
    expect(request?.prompts).toBeUndefined();
    expect(printed).toMatch(/^camel\.mp4 +\d+ +camel +0\.0 s +0\.5 s +2 +0\.80$/m);
  });

  it.each([
    [["--frames", "200"], /(?<!\d)100\/200 frames/],
    [[], / 50% of the frames/],
  ])("shows how many frames of a video are done: %j", async (args, shown) => {
    const { segment } = await fake({ looks: 1 });
    const path = await put("cat.mp4", picture(1));
    // The bar is drawn on a timer, but the output without a terminal is always the same.
    const { err } = await segment([path, "-p", "cat", ...args]);
    expect(err.replaceAll(/^/gm, " ")).toMatch(shown);
  });

  it("skips videos in folders, and says so", async () => {
    const { segment } = await fake();
    await put("photos/a.png", picture(1));
    await put("photos/cat.mp4", picture(1));
    const { err } = await segment([join(folder, "photos"), "-p", "cat"]);
    expect(err).toContain("Skipped 1 video in a folder. Pass a video's path");
  });

  it("stops at Ctrl-C, says how to resume, and then resumes without sending anything again", async () => {
    const { service, segment } = await fake({ looks: 200 });
    await put("photos/a.png", picture(1));
    const args = [join(folder, "photos"), "-p", "cup"];
    const { signal, press } = controlC();
    const stopped = segment(args, { signal });
    await expect.poll(() => service.jobs.size, { interval: 1 }).toBe(1);
    press();
    const { code, err } = await stopped;
    expect(code).toBe(130);
    expect(err).toContain("run the same command again to resume");
    for (const job of service.jobs.values()) job.looks = 1;
    expect((await segment(args)).code).toBe(0);
    expect([service.jobs.size, service.uploads.size]).toEqual([1, 1]);
  });

  it("draws a bar only if a person watches", async () => {
    const { segment } = await fake();
    const path = await put("a.png", picture(1));
    expect((await segment([path, "-p", "cup"])).err).not.toContain("\x1b");
    await put("a.png", picture(2));
    const { err } = await segment([path, "-p", "cup"], { isInteractive: true });
    expect(err).toContain("\r\x1b[K░");
    expect(err.endsWith("\r\x1b[K"), "it is taken away in the end").toBe(true);
  });
});
