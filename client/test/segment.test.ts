import { ImageResult, type Progress, SegmentationError } from "segmentation-client";
import { decodeRle, encodeRle } from "segmentation-client/masks";
import { describe, expect, it } from "vitest";
import {
  addressOf,
  clip,
  memoryClient,
  memoryFetch,
  picture,
  sumOfPicture,
} from "./support/memory-client.ts";
import { NOT_A_PICTURE } from "./support/fake-service.ts";
import { ring } from "./support/shapes.ts";

const broken = new TextEncoder().encode(NOT_A_PICTURE);

describe("segment", () => {
  it("returns a picture's masks with prompt, confidence, box, area, pixels, RLE and outlines", async () => {
    const { client } = memoryClient();
    const result = await client.segment(new File([picture(7)], "cups.png"), ["cup", "red cup"]);
    expect(result.masks.map(({ prompt, confidence }) => [prompt, confidence])).toEqual([
      ["cup", 0.9],
      ["red cup", 0.8],
    ]);
    for (const [i, mask] of result.masks.entries()) {
      const expected = ring(sumOfPicture(7), i);
      expect(await mask.bitmap()).toEqual(expected);
      expect([mask.width, mask.height]).toEqual([expected.width, expected.height]);
      expect(mask.area).toBe(expected.data.filter((value) => value > 0).length);
      expect(decodeRle(await mask.rle())).toEqual(expected);
      expect(await mask.polygons()).toMatchObject([{ holes: [expect.any(Array)] }]);
      expect(mask.box.every((value) => value > 0)).toBe(true);
    }
    expect(result.pictures).toMatchObject([{ name: "cups.png", problem: null }]);
  });

  it("takes bytes, blobs, files and URLs, many at once, and gives their pictures in that order", async () => {
    const { client } = memoryClient();
    const url = `data:image/png;base64,${Buffer.from(picture(3)).toString("base64")}`;
    const result = await client.segment(
      [picture(1), new Blob([picture(2)]), new URL(url), picture(4).buffer],
      "cup",
    );
    for (const [i, mask] of result.masks.entries())
      expect(await mask.bitmap()).toEqual(ring(sumOfPicture(i + 1)));
    expect(result.pictures).toHaveLength(4);
  });

  it("lets the service fetch public addresses, and fetches the others itself", async () => {
    const { client, service } = memoryClient();
    let progress: Progress | undefined;
    const onProgress = (reported: Progress) => void (progress = reported);
    const { pictures } = await client.segment("https://example.com/photos/cup.png", "cup", { onProgress });
    expect(pictures).toMatchObject([{ name: "cup.png", masks: [{ prompt: "cup" }] }]);
    expect(service.asked.filter((asked) => asked.includes("/uploads/"))).toEqual(["POST /v1/uploads/import"]);
    expect(progress?.totalBytes).toBe("https://example.com/photos/cup.png".length);

    const asked: string[] = [];
    const reachable: typeof fetch = async (url, init) => {
      asked.push(addressOf(url));
      return addressOf(url).startsWith("https://private.test")
        ? new Response(picture(2))
        : await memoryFetch(service)(url, init);
    };
    const other = memoryClient({}, { fetch: reachable }).client;
    const [mask] = (await other.segment(new URL("https://private.test/cup.png"), "cup")).masks;
    expect(await mask?.bitmap()).toEqual(ring(sumOfPicture(2)));
    expect(asked).toContain("https://private.test/cup.png");
  });

  it("draws regions of each input, after the prompts, or without any", async () => {
    const { client, service } = memoryClient();
    const regions = [
      { input: 1, box: [4, 5, 20, 30] as [number, number, number, number] },
      { points: [{ x: 8, y: 9, label: 1 as const }] },
    ];
    const { pictures } = await client.segment([picture(1), picture(2)], "cup", { regions });
    const [first = "", second = ""] = pictures.map(({ taskId }) => taskId);
    expect(service.jobs.get("job_000000")?.request).toMatchObject({
      prompts: ["cup"],
      regions: [
        { taskId: second, box: [4, 5, 20, 30] },
        { taskId: first, points: [{ x: 8, y: 9, label: 1 }] },
      ],
    });
    expect(pictures.map(({ masks }) => masks.map(({ prompt, region }) => [prompt, region]))).toEqual([
      [
        ["cup", undefined],
        [undefined, 1],
      ],
      [
        ["cup", undefined],
        [undefined, 0],
      ],
    ]);

    const alone = await client.segment(picture(1), [], { regions: regions.slice(1) });
    expect(service.jobs.get(alone.jobId)?.request.prompts).toBeUndefined();
    expect(alone.masks).toMatchObject([{ region: 0 }]);
    const call = client.segment(picture(1), "cup", { regions });
    await expect(call).rejects.toThrow("A region refers to input 1, which does not exist.");
  });

  it("refines a mask of an uploaded picture, and names the region", async () => {
    const { client, service } = memoryClient();
    const { taskId, jobId } = await client.segment(picture(1), "cup").then((result) => ({
      taskId: result.pictures[0]?.taskId ?? "",
      jobId: result.jobId,
    }));
    const uploads = service.uploads.size;
    const points = [
      { x: 8, y: 9, label: 0 as const },
      { x: 4, y: 4, label: 1 as const },
    ];
    const refines = { jobId, maskIndex: 0 };
    const regions = [{ points, refines, label: "saucer" }];
    const refined = await client.segment({ taskId, name: "cup.png" }, [], { regions });
    expect(service.uploads.size).toBe(uploads);
    expect(service.jobs.get(refined.jobId)?.request).toMatchObject({
      tasks: [taskId],
      regions: [{ taskId, points, refines, label: "saucer" }],
    });
    expect(refined.pictures[0]).toMatchObject({ name: "cup.png", taskId });
    expect(refined.masks).toMatchObject([{ prompt: undefined, region: 0, label: "saucer" }]);
    expect((await refined.coco()).categories).toEqual([{ id: 1, name: "saucer" }]);
  });

  it("reports which picture of a batch failed and why, and fails if all of them do", async () => {
    const { client } = memoryClient();
    const { pictures, job } = await client.segment([picture(1), broken, picture(2)], "cup");
    expect(pictures.map(({ masks, problem }) => [masks.length, problem?.split(":")[0]])).toEqual([
      [1, undefined],
      [0, "not_an_image"],
      [1, undefined],
    ]);
    expect(job.status).toBe("success");

    const failure: unknown = await client.segment(broken, "cup").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SegmentationError);
    expect(failure).toMatchObject({
      code: "not_an_image",
      message: "The file is a text. Upload a picture.",
      jobId: "job_000001",
      status: undefined,
    });
  });

  it("says what to do with a video, before it sends anything", async () => {
    const { client, service } = memoryClient();
    await expect(client.segment(clip("cat.mp4"), "cat")).rejects.toMatchObject({
      code: "invalid_input",
      message: "cat.mp4 is video/mp4: give it to client.segmentVideo instead.",
    });
    expect(service.asked).toEqual([]);
  });

  it("reports its progress: bytes, tasks, the share of the work", async () => {
    const { client } = memoryClient();
    const reported: string[] = [];
    const onProgress = ({ uploadedBytes, totalBytes, tasksDone, tasks, share }: Progress) =>
      void reported.push(`${uploadedBytes}/${totalBytes} ${tasksDone}/${tasks} ${share}`);
    await client.segment([picture(1), picture(2)], "cup", { onProgress });
    expect(reported.slice(0, 2)).toEqual(["13/26 0/2 0", "26/26 0/2 0"]);
    expect(reported.at(-1)).toBe("26/26 2/2 1");
    expect(reported).toContain("26/26 0/2 0.25");
  });

  it("returns an earlier job's result, and asks for signed URLs again once they have expired", async () => {
    const { client, service } = memoryClient();
    const { jobId } = await client.segment(picture(5), "cup", { generatePreview: true });
    const result = await client.result(jobId);
    if (!(result instanceof ImageResult)) throw new Error("not of pictures");
    const results = (): number => service.asked.filter((asked) => asked.endsWith("/result")).length;
    expect(await result.pictures[0]?.preview().then((blob) => blob.text())).toBe("a preview");
    expect(results()).toBe(2);
    const { now } = Date;
    Date.now = () => now() + 900_000;
    try {
      expect(await result.pictures[0]?.preview().then((blob) => blob.text())).toBe("a preview");
      expect(results()).toBe(3);
    } finally {
      Date.now = now;
    }
  });
});

describe("segmentVideo", () => {
  it("returns a video's tracks, with where and when each object was seen, and its preview", async () => {
    const { client } = memoryClient();
    const result = await client.segmentVideo(clip("cat.mp4"), ["cat", "dog"], {
      fps: 2,
      generatePreview: true,
    });
    expect(result.tracks).toMatchObject([
      {
        prompt: "cat",
        sightings: [
          { timeSec: 0, frameIdx: 0 },
          { timeSec: 0.5, frameIdx: 12 },
        ],
      },
      { prompt: "dog", sightings: [{ timeSec: 0.5, confidence: 0.8, box: [1.03, 2.1, 10.2, 20.2] }] },
    ]);
    const seen = result.tracks[1]?.sightings[0];
    expect(encodeRle(seen?.bitmap() ?? { width: 0, height: 0, data: new Uint8Array() })).toEqual(seen?.rle);
    expect(result.counts).toEqual({ framesProcessed: 2, framesWithMasks: 2, totalMasks: 3 });
    expect(result.masksJson.frames).toHaveLength(2);
    expect(await (await result.preview()).text()).toBe("a preview");
  });

  it("tracks regions, with prompts or without", async () => {
    const { client, service } = memoryClient();
    const regions = [
      { points: [{ x: 8, y: 9, label: 1 as const }], timeSeconds: 0.5, objectId: 1, label: "camel" },
      { box: [4, 5, 20, 30] as [number, number, number, number] },
    ];
    const result = await client.segmentVideo(clip("camel.mp4"), "dog", { regions: regions.slice(0, 1) });
    expect(result.tracks).toMatchObject([
      { prompt: "dog", region: undefined, label: undefined },
      { prompt: undefined, region: 0, label: "camel" },
    ]);
    const alone = await client.segmentVideo(clip("camel.mp4"), [], { regions });
    const { request } = service.jobs.get(alone.jobId) ?? {};
    expect(request).toMatchObject({
      regions: regions.map((region) => ({ ...region, taskId: alone.taskId })),
    });
    expect(request?.prompts).toBeUndefined();
    expect(alone.tracks).toMatchObject([{ label: "camel" }, { region: 1, label: undefined }]);
  });
});
