import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JobUpdate } from "segmentation-client";
import { present } from "../../test/support/at.ts";
import { addressOf, memoryClient, memoryFetch, picture } from "./support/memory-client.ts";
import { type FakeOptions, type FakeService, fakeService } from "./support/fake-service.ts";

/** The requested paths below a job, each with its number of requests in a row. */
const askedOf = (asked: readonly string[]): string[] =>
  asked
    .filter((line) => line.startsWith("GET /v1/jobs/"))
    .map((line) => line.replace(/GET \/v1\/jobs\/[^/]+/, "") || "status")
    .filter((path) => path !== "/result");

describe("waiting for a job", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A client whose open requests the test counts: a request's signal aborts when it has ended. */
  function timedClient(play: FakeOptions, fetchOf = memoryFetch) {
    const requests: AbortSignal[] = [];
    const service = fakeService(play);
    const answer = fetchOf(service);
    const { client } = memoryClient(play, {
      fetch: (input, init) => {
        requests.push(present(init?.signal, "signal"));
        return answer(input, init);
      },
    });
    const underWay = () => requests.filter(({ aborted }) => !aborted).length;

    /**
     * Lets time pass whenever something waits for it. Each request under way has one timer, its limit; if there are more,
     * something sleeps. Otherwise there is real work to be waited for, such as decompression, during which no time may pass.
     */
    async function passing<T>(work: Promise<T>): Promise<T> {
      const state = { isOver: false };
      const ended = work.finally(() => (state.isOver = true));
      ended.catch(() => {});
      while (!state.isOver) {
        if (vi.getTimerCount() > underWay()) await vi.advanceTimersToNextTimerAsync();
        else await new Promise((resolve) => setImmediate(resolve));
      }
      return await ended;
    }
    return { client, service, passing };
  }

  it("follows the service's events, and asks nothing else", async () => {
    const { client, service, passing } = timedClient({ looks: 3 });
    await passing(client.segment(picture(1), "cup"));
    expect(askedOf(service.asked)).toEqual(["/events"]);
  });

  it("lets a service without events hold its answers back", async () => {
    const { client, service, passing } = timedClient({ events: false, looks: 3 });
    await passing(client.segment(picture(1), "cup"));
    expect(askedOf(service.asked)).toEqual(["/events", "status"]);
  });

  it("polls a service that can do neither: after two seconds, then at growing pauses of up to ten", async () => {
    const { client, service, passing } = timedClient({ events: false, prefer: false, looks: 9 });
    const { jobId } = await client.api.createJob({
      type: "image",
      prompts: ["cup"],
      tasks: [await client.upload(picture(1))],
    });
    const asked: number[] = [];
    const watched = (async () => {
      for await (const _ of client.watchJob(jobId)) asked.push(Date.now());
    })();
    await passing(watched);
    const pauses = asked.slice(1).map((at, i) => at - (asked[i] ?? 0));
    expect(pauses).toEqual([2_000, 3_000, 4_500, 6_750, 10_000, 10_000, 10_000, 10_000]);
    expect(service.jobs.size).toBe(1);
  });

  it("resumes a broken stream of events, and polls after two failures in a row", async () => {
    let streams = 0;
    const cutting =
      (fake: FakeService): typeof fetch =>
      async (input, init) => {
        const response = await memoryFetch(fake)(input, init);
        if (!addressOf(input).endsWith("/events")) return response;
        const body = (await response.text()).split("\n\n").slice(0, streams++ === 0 ? 2 : 0);
        return new Response(`${body.join("\n\n")}\n\n`, response);
      };
    const { client, service, passing } = timedClient({ looks: 3 }, cutting);
    const updates: JobUpdate[] = [];
    const { jobId } = await client.api.createJob({
      type: "image",
      prompts: ["cup"],
      tasks: [await client.upload(picture(1))],
    });
    const watched = (async () => {
      for await (const update of client.watchJob(jobId)) updates.push(update);
    })();
    await passing(watched);
    expect(updates.map(({ job, progress }) => [job.status, progress])).toEqual([
      ["processing", 0],
      ["processing", 0.25],
      ["success", 1],
    ]);
    expect(askedOf(service.asked)).toEqual(["/events", "/events", "status"]);
  });

  it("waits until an archive is ready", async () => {
    for (const prefer of [true, false]) {
      const { client, passing } = timedClient({ prefer });
      const { jobId } = await passing(client.segment(picture(1), "cup"));
      const archive = await passing(client.archive(jobId));
      expect(archive.status).toBe("ready");
      expect(await (await client.download(archive.downloadUrl)).text()).toBe("a preview");
    }
  });
});

describe("a signal", () => {
  const aborting = [
    ["the upload", "PUT"],
    ["the job's creation", "POST /v1/jobs"],
    ["the wait", "/events"],
    ["the masks", "/storage/outputs/"],
  ] as const;

  it.each(aborting)("ends the call during %s, with its own reason", async (_, during) => {
    const control = new AbortController();
    const service = fakeService();
    const interrupted: typeof fetch = async (input, init) => {
      if (`${init?.method ?? "GET"} ${new URL(addressOf(input)).pathname}`.includes(during))
        control.abort("enough");
      return await memoryFetch(service)(input, init);
    };
    const { client } = memoryClient({}, { fetch: interrupted });
    await expect(client.segment(picture(1), "cup", { signal: control.signal })).rejects.toBe("enough");
  });

  it("that was aborted before lets nothing begin", async () => {
    const { client, service } = memoryClient();
    const call = client.segment(picture(1), "cup", { signal: AbortSignal.abort("too late") });
    await expect(call).rejects.toBe("too late");
    expect(service.asked).toEqual([]);
  });

  it.each([true, false])("also cancels the job on request (%s)", async (cancelOnAbort) => {
    const { client, service } = memoryClient({ looks: 1_000 });
    const control = new AbortController();
    const onProgress = ({ share }: { readonly share: number }) => {
      if (share > 0) control.abort("enough");
    };
    const options = { signal: control.signal, cancelOnAbort, onProgress };
    await expect(client.segment(picture(1), "cup", options)).rejects.toBe("enough");
    expect([...service.jobs.values()].map(({ isCancelled }) => isCancelled)).toEqual([cancelOnAbort]);
  });

  it("also cancels a job that is created at the moment of the abort", async () => {
    const control = new AbortController();
    const service = fakeService();
    const late: typeof fetch = async (input, init) => {
      const response = await memoryFetch(service)(input, init);
      if (addressOf(input).endsWith("/v1/jobs")) control.abort("enough");
      return response;
    };
    const { client } = memoryClient({}, { fetch: late });
    const call = client.segment(picture(1), "cup", { signal: control.signal, cancelOnAbort: true });
    await expect(call).rejects.toBe("enough");
    expect([...service.jobs.values()]).toMatchObject([{ isCancelled: true }]);
  });
});
