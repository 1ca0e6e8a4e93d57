import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ImageResult, type Mask, type Progress, SegmentationError, VideoResult } from "segmentation-client";
import { describe, expect, it } from "vitest";
import { present } from "../../test/support/at.ts";
import {
  addressOf,
  clip,
  memoryClient,
  memoryFetch,
  picture,
  sumOfPicture,
} from "./support/memory-client.ts";
import { NOT_A_PICTURE, fakeService } from "./support/fake-service.ts";
import { ring } from "./support/shapes.ts";

const broken = new TextEncoder().encode(NOT_A_PICTURE);
const video = clip("cat.mp4");

describe("submit", () => {
  it("creates a job without waiting, to be queried, watched, and resumed in another process", async () => {
    const { client } = memoryClient();
    const job = await client.submit(new File([picture(7)], "cups.png"), "cup");
    expect(await job.status()).toMatchObject({ jobId: job.jobId, status: "processing" });
    const seen: string[] = [];
    for await (const { job: status, progress } of job.events()) seen.push(`${status.status} ${progress}`);
    expect(seen.at(-1)).toBe("success 1");
    const result = await job.result();
    expect(result).toBeInstanceOf(ImageResult);
    expect(result.pictures).toMatchObject([{ name: "cups.png", masks: [{ prompt: "cup" }] }]);

    const later = await client.job(job.jobId).result();
    expect(later).toMatchObject({ jobId: job.jobId, pictures: [{ masks: [{ prompt: "cup" }] }] });
  });

  it("reports the progress of the upload, and its result that of the job", async () => {
    const { client } = memoryClient();
    const reported: string[] = [];
    const onProgress = ({ uploadedBytes, totalBytes, share, tasks }: Progress) =>
      void reported.push(`${uploadedBytes}/${totalBytes} ${share} of ${tasks}`);
    const job = await client.submit([picture(1), picture(2)], "cup", { onProgress });
    expect(reported).toEqual(["13/26 0 of 2", "26/26 0 of 2"]);
    await job.result({ onProgress });
    expect(reported.at(-1)).toBe("26/26 1 of 2");
  });

  it("submits a video, too", async () => {
    const { client } = memoryClient();
    const job = await client.submitVideo(video, ["cat", "dog"], { fps: 2 });
    expect(await job.result()).toBeInstanceOf(VideoResult);
    expect(await client.job(job.jobId).result()).toBeInstanceOf(VideoResult);
    await expect(async () => {
      for await (const _ of job.pictures());
    }).rejects.toMatchObject({ code: "invalid_input", jobId: job.jobId });
  });

  it("is canceled by its handle, and its result is then the problem", async () => {
    const { client } = memoryClient();
    const job = await client.submit(picture(1), "cup");
    expect(await job.cancel()).toMatchObject({ status: "failed" });
    await expect(job.result()).rejects.toMatchObject({ code: "canceled", jobId: job.jobId });
  });

  it.each([true, false])(
    "that is aborted as the job is created cancels it if asked: %s",
    async (cancelOnAbort) => {
      const service = fakeService({ looks: 1_000 });
      const controller = new AbortController();
      const aborting: typeof fetch = async (url, init) => {
        const answer = await memoryFetch(service)(url, init);
        if (addressOf(url).endsWith("/v1/jobs")) controller.abort("enough");
        return answer;
      };
      const { client } = memoryClient({}, { fetch: aborting });
      const call = client.submit(picture(1), "cup", { cancelOnAbort, signal: controller.signal });
      await expect(call).rejects.toBe("enough");
      const cancelled = [...service.jobs.values()].map(({ isCancelled }) => isCancelled);
      expect(cancelled).toEqual([cancelOnAbort]);
    },
  );
});

describe("a call with an Idempotency-Key", () => {
  it("is the same job when a later run repeats it: nothing is sent again", async () => {
    const { client, service } = memoryClient();
    const call = () => client.segment([picture(1), picture(2)], "cup", { idempotencyKey: "order-17" });
    const first = await call();
    const puts = () => service.asked.filter((asked) => asked.startsWith("PUT")).length;
    expect(puts()).toBe(2);
    const again = await call();
    expect([again.jobId, service.jobs.size, puts()]).toEqual([first.jobId, 1, 2]);
    expect(again.pictures.map(({ taskId }) => taskId)).toEqual(first.pictures.map(({ taskId }) => taskId));
  });

  it("is another job with another key, and no job with other files", async () => {
    const { client, service } = memoryClient();
    const call = (number: number, idempotencyKey: string) =>
      client.submit(picture(number), ["cup"], { idempotencyKey });
    await call(1, "a");
    await call(1, "b");
    expect(service.jobs.size).toBe(2);
    await expect(client.submit(picture(1), ["mug"], { idempotencyKey: "a" })).rejects.toMatchObject({
      code: "idempotency_mismatch",
      status: 409,
    });
    await expect(call(1, "x".repeat(121))).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("uploads a file once", async () => {
    const { client } = memoryClient();
    const call = () => client.upload(picture(1), { idempotencyKey: "mine" });
    expect(await call()).toBe(await call());
  });
});

describe("the pictures of a job", () => {
  it("come as their tasks end, with what failed; their masks once the job has ended", async () => {
    const { client, service } = memoryClient({ looks: 5, oneByOne: true });
    const files = [
      new File([picture(1)], "a.png"),
      new File([broken], "b.png"),
      new File([picture(2)], "c.png"),
    ];
    const job = await client.submit(files, "cup");
    const seen: string[] = [];
    for await (const each of job.pictures()) {
      const left = service.jobs.get(job.jobId)?.looks ?? 0;
      seen.push(
        `${each.name} ${each.problem?.split(":")[0] ?? "good"} ${left > 0 ? "while the job runs" : "after it"}`,
      );
    }
    expect(seen).toEqual([
      "a.png good while the job runs",
      "b.png not_an_image while the job runs",
      "c.png good while the job runs",
    ]);

    const masks = new Map<string, number>();
    for await (const each of client.job(job.jobId).pictures()) {
      for (const mask of await each.masks()) {
        expect(await mask.bitmap()).toEqual(ring(sumOfPicture(masks.size + 1)));
        masks.set(each.taskId, mask.area);
      }
      if (each.problem !== null) await expect(each.load()).rejects.toMatchObject({ code: "not_an_image" });
    }
    expect(masks.size).toBe(2);
  });

  it("wait for the job's end where their masks are asked for in the loop", async () => {
    const { client } = memoryClient({ looks: 4, oneByOne: true });
    const job = await client.submit([picture(1), picture(2)], "cup");
    const areas: number[] = [];
    for await (const each of job.pictures()) areas.push(...(await each.masks()).map(({ area }) => area));
    expect(areas).toEqual([1, 2].map((n) => ring(sumOfPicture(n)).data.filter((value) => value > 0).length));
  });

  it("free the memory of processed ones: of 100, at most two have their masks loaded", async () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const { client, service } = memoryClient({ looks: 0 });
    const job = await client.submit(
      Array.from({ length: 100 }, (_, i) => picture(i)),
      "cup",
    );
    const seen: WeakRef<Mask>[] = [];
    let most = 0;
    for await (const each of job.pictures()) {
      seen.push(new WeakRef(present((await each.masks())[0], "mask")));
      if (seen.length % 10 > 0) continue;
      // A WeakRef keeps its target until the end of the turn.
      await new Promise((resolve) => setImmediate(resolve));
      collect();
      most = Math.max(most, seen.filter((ref) => ref.deref() !== undefined).length);
    }
    expect(seen).toHaveLength(100);
    expect(most).toBeLessThanOrEqual(2);
    expect(
      service.asked.filter((asked) => asked.endsWith("/result")),
      "one result for all",
    ).toHaveLength(1);
  });
});

describe("the options of every call", () => {
  it("sends headers with every request to the service, and with none to the storage", async () => {
    const service = fakeService();
    const heard: string[] = [];
    const listening: typeof fetch = (url, init) => {
      heard.push(
        `${new URL(addressOf(url)).pathname.split("/")[1]} ${new Headers(init?.headers).get("x-trace")}`,
      );
      return memoryFetch(service)(url, init);
    };
    const { client } = memoryClient({}, { fetch: listening });
    await client.segment(picture(1), "cup", { headers: { "x-trace": "abc" } });
    expect(new Set(heard)).toEqual(new Set(["v1 abc", "storage null"]));
    heard.length = 0;
    await client.upload(picture(1), { headers: { "x-trace": "abc" } });
    expect(new Set(heard)).toEqual(new Set(["v1 abc", "storage null"]));
  });

  it("has its own number of retries, and hears of each", async () => {
    const service = fakeService();
    let busy = 3;
    const often: typeof fetch = async (url, init) =>
      addressOf(url).includes("/storage/") && busy-- > 0
        ? new Response("busy", { status: 503 })
        : await memoryFetch(service)(url, init);
    const { client } = memoryClient({}, { fetch: often });
    const heard: number[] = [];
    const onRetry = ({ status = 0 }: SegmentationError) => void heard.push(status);
    await expect(client.upload(picture(1), { maxRetries: 1, onRetry })).rejects.toMatchObject({
      status: 503,
    });
    expect(heard).toEqual([503]);
    busy = 2;
    await client.segment(picture(1), "cup", { onRetry });
    expect(heard).toEqual([503, 503, 503]);
  });

  it("has its own time limit", async () => {
    const never: typeof fetch = () => new Promise(() => {});
    const { client } = memoryClient({}, { fetch: never });
    const options = { timeoutMs: 20, maxRetries: 0 };
    const calls = [
      client.segment(picture(1), "cup", options),
      client.upload(picture(1), options),
      client.job("job_1").result(options),
      client.archive("job_1", options),
      client.download("http://fake.test/a", options),
    ];
    const timedOut = expect.objectContaining({ code: "timed_out" });
    expect(await Promise.all(calls.map((call) => call.catch((error: unknown) => error)))).toEqual(
      calls.map(() => timedOut),
    );
  });
});
