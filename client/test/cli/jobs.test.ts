import { chdir, cwd } from "node:process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CocoDocument } from "segmentation-client";
import { expect, it, onTestFinished } from "vitest";
import { SegmentationClient } from "../../src/client.ts";
import { picture } from "../support/memory-client.ts";
import { fakeService } from "../support/fake-service.ts";
import { serve } from "../support/serve.ts";
import { runCli } from "./support/run-cli.ts";

/** A service, and a folder of pictures for commands. */
async function workplace() {
  const service = fakeService();
  const env = { SEGMENTATION_BASE_URL: await serve(service.app), SEGMENTATION_API_KEY: "sk_live_fake" };
  const [folder, before] = [await mkdtemp(join(tmpdir(), "jobs-")), cwd()];
  chdir(folder);
  onTestFinished(async () => {
    chdir(before);
    await rm(folder, { recursive: true });
  });
  for (const name of ["a.png", "b.png"]) await writeFile(name, picture(name.charCodeAt(0)));
  return { service, env, run: (...args: string[]) => runCli(args, { env }) };
}

it("segment has a folder for each order, and an order run again has its own", async () => {
  const { service, run } = await workplace();
  const folderOf = async (...args: string[]): Promise<string> =>
    /: (\S+)\//.exec((await run("segment", "a.png", ...args)).out)?.[1] ?? "";
  expect(await folderOf("-p", "cup")).toBe("out");
  expect(await folderOf("-p", "dog")).toBe("out-2");
  expect(await folderOf("--region", "4,5")).toBe("out-3");
  expect([await folderOf("-p", "cup"), await folderOf("-p", "dog")]).toEqual(["out", "out-2"]);
  expect(service.jobs.size).toBe(3);
  await rm("out", { recursive: true });
  expect(await folderOf("-p", "dog"), "though a free one comes before it").toBe("out-2");
  expect(await folderOf("-p", "cat")).toBe("out");
});

it("job --save names what it saves by the files, as segment does", async () => {
  const { run } = await workplace();
  await run("segment", ".", "-p", "cup", "--preview");
  const saved = await run("job", "job_000000", "--save", "saved");
  expect(saved.code).toBe(0);
  const files = await readdir("saved", { recursive: true });
  expect(files).toEqual(
    expect.arrayContaining([
      "masks/a.png/0.png",
      "masks/b.png/0.png",
      "preview/a.png.png",
      "annotations.json",
    ]),
  );
  const coco: CocoDocument = JSON.parse(await readFile("saved/annotations.json", "utf8"));
  expect(coco.images.map(({ file_name }) => file_name).toSorted()).toEqual(["a.png", "b.png"]);

  await rm("out", { recursive: true });
  expect((await run("job", "job_000000", "--save", "unnamed")).code).toBe(0);
  expect(await readdir("unnamed/masks"), "the ids of their uploads").not.toContain("a.png");
});

it("job --save --annotated saves COCO as people left it, by the names of the files", async () => {
  const { run, service, env } = await workplace();
  await run("segment", ".", "-p", "cup");
  const client = new SegmentationClient({
    baseUrl: env.SEGMENTATION_BASE_URL,
    apiKey: env.SEGMENTATION_API_KEY,
  });
  const [taskId = ""] = service.jobs.get("job_000000")?.request.tasks ?? [];
  const classes = [{ id: 3, name: "mug" }];
  const objects = [{ id: "job_000000/0", hidden: true }];
  const tasks = [{ taskId, fileName: "other.png", width: 40, height: 30, objects }];
  const document = { format: 1 as const, classes, nextClassId: 4, searches: [], tasks };
  await client.job("job_000000").saveAnnotations({ version: 0, document });

  const saved = async (...args: string[]): Promise<CocoDocument> => {
    expect((await run("job", "job_000000", "--save", "saved", ...args)).code).toBe(0);
    return JSON.parse(await readFile("saved/annotations.json", "utf8"));
  };
  const { images, categories, annotations } = await saved("--annotated");
  expect(images.map(({ file_name }) => file_name).toSorted()).toEqual(["a.png", "b.png"]);
  expect([categories, annotations.length]).toEqual([[...classes, { id: 4, name: "cup" }], 1]);
  expect((await saved()).annotations).toHaveLength(2);
});

it("job refuses --annotated if nothing is saved, and for a video", async () => {
  const { run } = await workplace();
  expect(await run("job", "job_000000", "--annotated")).toMatchObject({
    code: 2,
    err: expect.stringContaining("Add --save DIR."),
  });
  await writeFile("clip.mp4", new TextEncoder().encode("\0\0\0\x18ftypisom"));
  await run("segment", "clip.mp4", "-p", "cup");
  expect(await run("job", "job_000000", "--save", "saved", "--annotated")).toMatchObject({
    code: 2,
    err: expect.stringContaining("Leave out --annotated."),
  });
});

it("cancel says that a job had already ended", async () => {
  const { run } = await workplace();
  await run("segment", "a.png", "-p", "cup");
  const { code, err } = await run("cancel", "job_000000");
  expect([code, err]).toEqual([0, "job_000000 had already ended: nothing was canceled.\n"]);
});

it("lists say that they are empty", async () => {
  const { run } = await workplace();
  expect((await run("jobs")).err).toBe("There are no jobs yet.\n");
});
