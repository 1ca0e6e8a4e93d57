import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type CocoDocument, ImageResult, SegmentationClient } from "segmentation-client/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clip, picture, sumOfPicture } from "../support/memory-client.ts";
import { fakeService } from "../support/fake-service.ts";
import { serve } from "../support/serve.ts";
import { maskFile, ring } from "../support/shapes.ts";

describe("the client of /node", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "client-save-"));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });
  const saved = async (): Promise<string[]> =>
    (await readdir(join(folder, "out"), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, "out").length + 1))
      .toSorted();

  async function fake() {
    const service = fakeService();
    const baseUrl = await serve(service.app);
    return {
      service,
      client: new SegmentationClient({ baseUrl, apiKey: "sk_live_fake", retryDelayMs: 1 }),
    };
  }

  it("segments files by their paths, and saves masks, previews and COCO under their names", async () => {
    const { client } = await fake();
    const paths = ["a.png", "b.png"].map((name) => join(folder, name));
    for (const [i, path] of paths.entries()) await writeFile(path, picture(i));
    const inputs = [paths[0] ?? "", pathToFileURL(paths[1] ?? "")];
    const result = await client.segment(inputs, ["cup", "spoon"], { generatePreview: true });
    const written = await result.save(join(folder, "out"));
    const expected = [
      "annotations.json",
      ...["a.png", "b.png"].flatMap((name) => [0, 1].map((i) => `masks/${name}/${i}.png`)),
      "preview/a.png.png",
      "preview/b.png.png",
    ];
    expect(await saved()).toEqual(expected);
    expect(written.toSorted()).toEqual(expected.map((path) => join(folder, "out", path)));
    expect(new Uint8Array(await readFile(join(folder, "out/masks/b.png/1.png")))).toEqual(
      maskFile(ring(sumOfPicture(1), 1), "spoon"),
    );
    const coco: CocoDocument = JSON.parse(await readFile(join(folder, "out/annotations.json"), "utf8"));
    expect(coco.images.map(({ file_name }) => file_name)).toEqual(["a.png", "b.png"]);
  });

  it("saves pictures as people left them", async () => {
    const { client } = await fake();
    const files = [1, 2].map((number) => new File([picture(number)], `${number}.png`));
    const result = await client.segment(files, ["cup", "spoon"]);
    const [one, two] = result.pictures;
    const { version, document } = await result.annotations();
    const mask = await result.masks[1]?.rle();
    const objects = [{ id: `${result.jobId}/0`, classId: 1, ...(mask && { mask }) }];
    const tasks = [
      { taskId: one?.taskId ?? "", objects },
      { taskId: two?.taskId ?? "", verdict: "rejected" as const, objects: [] },
    ];
    const changed = { ...document, classes: [{ id: 1, name: "mug" }], nextClassId: 2, tasks };
    expect(await result.saveAnnotations({ version, document: changed })).toMatchObject({ version: 1 });
    await expect(client.job(result.jobId).saveAnnotations({ version, document })).rejects.toMatchObject({
      code: "version_conflict",
      currentVersion: 1,
    });

    await result.save(join(folder, "out"), { formats: ["coco"], annotated: true });
    const coco: CocoDocument = JSON.parse(await readFile(join(folder, "out/annotations.json"), "utf8"));
    expect(coco).toEqual(await result.coco({ annotated: true }));
    expect(coco.images.map(({ file_name }) => file_name)).toEqual(["1.png"]);
    expect(coco.annotations).toMatchObject([
      { category_id: 1, score: 0.9, segmentation: mask },
      { category_id: 2, score: 0.8 },
    ]);
    expect((await result.coco()).images).toHaveLength(2);
  });

  it("saves only the requested formats, and says how to get one that the job lacks", async () => {
    const { client } = await fake();
    const result = await client.segment(new File([picture(1)], "cup.png"), "cup");
    await result.save(join(folder, "out"), { formats: ["png"] });
    expect(await saved()).toEqual(["masks/cup.png/0.png"]);
    const call = result.save(join(folder, "out"), { formats: ["yolo"] });
    await expect(call).rejects.toThrow(
      'The job has no yolo files. Request them when you create the job: { formats: ["yolo"] }.',
    );
  });

  it("keeps inputs with the same name apart, and never writes elsewhere", async () => {
    const { client } = await fake();
    const names = ["cup.png", "Cup.png", "../../cup.png", "..", "a\\b\0.png", `${"d".repeat(251)}.png`];
    const files = names.map((name, i) => new File([picture(i)], name));
    const result = await client.segment(files, "cup", { generatePreview: true });
    await result.save(join(folder, "out"), { formats: ["png", "preview"] });
    const nameless = result.pictures[3]?.taskId ?? expect.fail();
    const kept = ["cup.png", "Cup-2.png", "__.._cup.png", nameless, "a_b_.png", `${"d".repeat(236)}.png`];
    expect(await saved()).toEqual(
      kept.flatMap((name) => [`masks/${name}/0.png`, `preview/${name}.png`]).toSorted(),
    );
  });

  it("saves a video's masks.json and preview", async () => {
    const { client } = await fake();
    const result = await client.segmentVideo(clip("cat.mp4"), ["cat", "dog"], { generatePreview: true });
    await result.save(join(folder, "out"));
    expect(await saved()).toEqual(["masks/cat.mp4/masks.json", "preview/cat.mp4.mp4"]);
    expect(JSON.parse(await readFile(join(folder, "out/masks/cat.mp4/masks.json"), "utf8"))).toEqual(
      result.masksJson,
    );
    const again = await client.result(result.jobId);
    expect(again).not.toBeInstanceOf(ImageResult);
  });

  it("sends a large file piece by piece, reports each, and downloads into a file", async () => {
    const { client, service } = await fake();
    const path = join(folder, "large.bin");
    await writeFile(path, new Uint8Array(3_000_000).fill(7));
    const reported: number[] = [];
    const taskId = await client.upload(path, { onProgress: (bytes) => void reported.push(bytes) });
    expect(service.uploads.get(taskId)?.bytes?.length).toBe(3_000_000);
    expect(reported.length).toBeGreaterThan(10);
    expect(reported.at(-1)).toBe(3_000_000);

    const { jobId } = await client.segment(picture(1), "cup");
    const { downloadUrl } = await client.archive(jobId);
    await client.downloadTo(join(folder, "archive.zip"), downloadUrl);
    expect(await readFile(join(folder, "archive.zip"), "utf8")).toBe("a preview");
  });

  it("leaves no half file in its place when a download breaks off", async () => {
    const breaking: typeof fetch = () =>
      Promise.resolve(
        new Response(
          new ReadableStream({
            start: (c) => c.enqueue(new Uint8Array(9)),
            pull: (c) => c.error(new TypeError("terminated")),
          }),
        ),
      );
    const options = {
      baseUrl: "http://fake.test",
      apiKey: "sk",
      fetch: breaking,
      maxRetries: 1,
      retryDelayMs: 1,
    };
    const client = new SegmentationClient(options);
    const path = join(folder, "archive.zip");
    await expect(client.downloadTo(path, "http://fake.test/zip")).rejects.toMatchObject({
      code: "connection_failed",
    });
    expect(await readdir(folder)).toEqual(["archive.zip.part"]);
  });

  it("reports a path that cannot be read", async () => {
    const { client } = await fake();
    const call = client.segment(join(folder, "none.png"), "cup");
    await expect(call).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("cannot be read"),
    });
  });
});
