import { beforeEach, describe, expect, it, vi } from "vitest";
import { ImageJobResult } from "../../../src/jobs/contract/result.ts";
import { type Client, fetchWorker, newClient } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { callBack, deliverTask, FakeInference, success } from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { isLong } from "../../support/worker/client/random.ts";

const MASKS = 400;
const TASKS = 4;

describe("a large result", () => {
  let client: Client;
  let jobId: string;
  beforeEach(async () => {
    client = await newClient();
    const job = await newJob(client, TASKS);
    ({ jobId } = job);
    const inference = new FakeInference();
    for (const taskId of job.tasks) {
      await deliverTask(jobId, taskId);
      await callBack(inference.last, "complete", success(MASKS));
    }
  });

  const ask = (method = "GET"): Promise<Response> =>
    fetchWorker(
      new Request(`https://api.test/v1/jobs/${jobId}/result`, {
        method,
        headers: { authorization: `Bearer ${client.key}` },
      }),
    );

  /** Counts the signatures, and lets one of them fail. */
  function watchSignatures(failing = Number.POSITIVE_INFINITY): { count: number } {
    const seen = { count: 0 };
    const { media } = home.platform;
    const signGets = media.signGets.bind(media);
    vi.spyOn(media, "signGets").mockImplementation(async (seconds) => {
      const signer = await signGets(seconds);
      return {
        ...signer,
        signature: async (key) => {
          seen.count += 1;
          if (seen.count === failing) throw new Error("no more signatures");
          return signer.signature(key);
        },
      };
    });
    return seen;
  }

  it("arrives whole, as JSON that no cache keeps, each URL once among the assets and once in the manifest", async () => {
    const response = await ask();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const { manifest, assets } = ImageJobResult.parse(await response.json());
    expect(assets).toHaveLength(TASKS * MASKS);
    expect(assets.map(({ url }) => url)).toEqual(
      manifest.items.flatMap(({ masks }) => masks.map(({ url }) => url)),
    );
  });

  it("is made while it is sent: a client that stops reading stops the signing", async () => {
    const signatures = watchSignatures();
    const response = await ask();
    expect(signatures.count).toBe(0);
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
    expect(signatures.count).toBe(MASKS);
    await reader?.cancel();
    expect(signatures.count).toBe(MASKS);
  });

  it("is fetched page by page, so a slow client keeps no more of it in memory", async () => {
    const platform = home.platform;
    const { jobObject } = platform;
    const pages: number[] = [];
    vi.spyOn(platform, "jobObject").mockImplementation((id) => {
      const object = jobObject(id);
      return Object.assign(Object.create(object), {
        resultPage: async (...args: Parameters<typeof object.resultPage>) => {
          const page = await object.resultPage(...args);
          pages.push(page === null || page === "not_ready" ? 0 : page.tasks.length);
          return page;
        },
      });
    });
    const response = await ask();
    const reader = response.body?.getReader();
    await reader?.read();
    expect(pages).toEqual([2]);
    for (let done = false; !done;) done = (await reader?.read())?.done ?? true;
    expect(pages).toEqual([2, 2, 2]);
  });

  it("has no body for HEAD, and signs nothing for it", async () => {
    const signatures = watchSignatures();
    const response = await ask("HEAD");
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(signatures.count).toBe(0);
  });

  it.runIf(isLong)(
    "never looks whole when it breaks off: the connection fails, and the log says why",
    async () => {
      const logged = vi.spyOn(console, "log").mockImplementation(() => {});
      watchSignatures(2 * MASKS);
      const response = await ask();
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow("no more signatures");
      const lines = logged.mock.calls.flat().filter((line) => String(line).includes("answer_broken_off"));
      expect(lines.join()).toContain(response.headers.get("x-request-id"));
    },
  );
});
