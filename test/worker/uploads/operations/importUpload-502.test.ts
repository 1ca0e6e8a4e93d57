import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ARCHIVE_MIB } from "../../../../src/archives/operations/build-archive.ts";
import { IMPORT_MIB } from "../../../../src/uploads/operations/store-file.ts";
import { Media } from "../../../../src/shared/bucket/bucket.ts";
import { only } from "../../../support/at.ts";
import {
  type Answer,
  answerOf,
  type Client,
  fetchWorker,
  newClient,
} from "../../../support/worker/client/api.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { PNG } from "../../../support/worker/fixtures/jobs.ts";
import { type FakeSource, fakeSource } from "../../../support/worker/fakes/source.ts";
import { expectError } from "../../../support/worker/client/wire.ts";
import {
  bytesOfTheDay,
  TWO_PARTS,
  picture,
  expectNothingLeft,
  URL_OF_IT,
  BEGINNING,
} from "../../../support/worker/fixtures/imports.ts";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

const importFrom = (url = URL_OF_IT, by = client): Promise<Answer> =>
  by.send("POST", "/v1/uploads/import", { url });

describe("importUpload 502", () => {
  it.each([
    ["cannot be reached", "failure", /could not be reached/],
    ["answers with an error", { status: 404, steps: [PNG] }, /status 404/],
    ["answers with a part", { status: 206, steps: [PNG] }, /status 206/],
    ["answers with nothing", { status: 204 }, /status 204/],
    ["answers with an empty file", { steps: [] }, /empty file/],
    ["redirects nowhere", { status: 302 }, /status 302/],
    ["redirects to itself", { status: 301, headers: { location: URL_OF_IT } }, /more than 2 times/],
    ["breaks off at once", { steps: ["failure"] }, /closed the connection/],
    ["breaks off later", { steps: [BEGINNING, "failure"], size: 1_000 }, /closed the connection/],
    ["breaks off later, of unknown size", { steps: [BEGINNING, "failure"] }, /closed the connection/],
    ["sends less than it promised", { steps: [BEGINNING], size: 1_000 }, /exactly the 1000 bytes/],
    ["sends more than it promised", { steps: [BEGINNING, PNG], size: 101 }, /exactly the 101 bytes/],
  ] as const)("of a source that %s nothing remains [A6-7]", async (_, answer, message) => {
    const source = fakeSource({ [URL_OF_IT]: answer });
    const refused = await importFrom();
    expectError(refused, 502, "import_failed");
    expect(refused.body.message).toMatch(message);
    await expectNothingLeft(source);
  });

  it("of a source that breaks off after its first part nothing remains, no part either [A6-7]", async () => {
    const begin = vi.spyOn(Media.prototype, "beginParts");
    const steps = function* () {
      yield* picture(TWO_PARTS);
      yield "failure" as const;
    };
    const source = fakeSource({ [URL_OF_IT]: { steps: steps() } });
    expectError(await importFrom(), 502, "import_failed");
    await expectNothingLeft(source);
    const [key] = only(begin.mock.calls);
    const uploadId = await only(begin.mock.settledResults).value;
    const upload = env.MEDIA.resumeMultipartUpload(key, uploadId);
    await expect(upload.complete([])).rejects.toThrow("10024");
    expect(await bytesOfTheDay(client)).toBe(TWO_PARTS);
  });

  describe("of a slow source", () => {
    /** Imports, and advances the time by this much at each pause of the source. */
    async function importWhile(source: FakeSource, ...passing: number[]): Promise<Answer> {
      vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
      let pause = source.pauses();
      const answer = importFrom();
      for (const ms of passing) {
        await pause;
        pause = source.pauses();
        await vi.advanceTimersByTimeAsync(ms);
      }
      return answer;
    }

    it.each([
      ["does not answer", "silence"],
      ["answers without a byte", { steps: ["silence"] }],
      ["stops in the middle", { steps: [BEGINNING, "silence"], size: 1_000 }],
      ["stops in the middle, of unknown size", { steps: [BEGINNING, "silence"] }],
    ] as const)("that %s nothing remains after 20 seconds [A6-5]", async (_, answer) => {
      const source = fakeSource({ [URL_OF_IT]: answer });
      const refused = await importWhile(source, 20_000);
      expectError(refused, 502, "import_failed");
      expect(refused.body.message).toMatch(/nothing for 20 seconds/);
      await expectNothingLeft(source);
    });

    it("that begins late and then pauses the file is stored, if no pause is longer than 20 seconds", async () => {
      const steps = [
        { afterMs: 19_000, bytes: BEGINNING },
        { afterMs: 19_000, bytes: BEGINNING },
      ];
      const source = fakeSource({ [URL_OF_IT]: { steps } });
      expect((await importWhile(source, 19_000, 19_000)).body.size).toBe(2 * BEGINNING.length);
    });

    it("that redirects before it is silent nothing remains after the same 20 seconds [A6-5]", async () => {
      const source = fakeSource({
        [URL_OF_IT]: { afterMs: 15_000, status: 302, headers: { location: "/other" } },
        "https://pictures.example/other": { steps: ["silence"] },
      });
      expectError(await importWhile(source, 15_000, 5_000), 502, "import_failed");
      await expectNothingLeft(source);
    });

    it("that never ends nothing remains after four minutes [A6-5]", async () => {
      const portion = new Uint8Array(1_500_000);
      const steps = [BEGINNING, ...Array.from({ length: 20 }, () => ({ afterMs: 19_000, bytes: portion }))];
      const source = fakeSource({ [URL_OF_IT]: { steps } });
      const refused = await importWhile(source, ...Array.from({ length: 13 }, () => 19_000));
      expectError(refused, 502, "import_failed");
      expect(refused.body.message).toMatch(/the whole file within 240 seconds/);
      await expectNothingLeft(source);
    });

    it.each([
      ["of known size", { size: 10_000_000 }],
      ["of unknown size", {}],
    ])("that trickles, %s, nothing remains once 1.5 MB have taken 30 seconds [A6-12]", async (_, size) => {
      const drop = { afterMs: 7_000, bytes: BEGINNING };
      const drops = Array.from({ length: 100 }, () => drop);
      // It is fast at first, which does not help it later.
      const fast = [...picture(3_000_000)];
      const source = fakeSource({ [URL_OF_IT]: { steps: [...fast, ...drops], ...size } });
      const refused = await importWhile(source, 7_000, 7_000, 7_000, 7_000, 2_000);
      expectError(refused, 502, "import_failed");
      expect(refused.body.message).toMatch(/less than 50 kB per second/);
      await expectNothingLeft(source);
    });

    it("that sends 1.5 MB in less than 30 seconds each the file is stored [A6-12]", async () => {
      const portion = { afterMs: 14_900, bytes: new Uint8Array(750_000) };
      const steps = [BEGINNING, ...Array.from({ length: 10 }, () => portion)];
      const source = fakeSource({ [URL_OF_IT]: { steps } });
      const { body } = await importWhile(source, ...Array.from({ length: 10 }, () => 14_900));
      expect(body.size).toBe(BEGINNING.length + 7_500_000);
    });
  });

  it("leaves nothing for a disconnected client [A6-7]", async () => {
    const source = fakeSource({ [URL_OF_IT]: { steps: [BEGINNING, "silence"] } });
    const goes = new AbortController();
    const silent = source.pauses();
    const answer = fetchWorker(
      new Request("https://api.test/v1/uploads/import", {
        method: "POST",
        headers: { authorization: `Bearer ${client.key}`, "content-type": "application/json" },
        body: JSON.stringify({ url: URL_OF_IT }),
        signal: goes.signal,
      }),
    );
    await silent;
    goes.abort();
    expectError(await answerOf(await answer), 502, "import_failed");
    await expectNothingLeft(source);
  });

  /** Begins an import of an account from each URL; each has a place before the next begins. */
  async function beginAll(
    source: FakeSource,
    by: Client,
    urls: readonly string[],
  ): Promise<Promise<Answer>[]> {
    const begun: Promise<Answer>[] = [];
    for (const url of urls) {
      const silent = source.pauses();
      begun.push(importFrom(url, by));
      await silent;
    }
    return begun;
  }
  const trickling = (count: number): string[] => Array.from({ length: count }, (_, i) => `${URL_OF_IT}?${i}`);
  const fakeTrickling = (urls: readonly string[]): FakeSource =>
    fakeSource({
      [URL_OF_IT]: { steps: [BEGINNING] },
      ...Object.fromEntries(
        urls.map((url) => [
          url,
          {
            steps: [BEGINNING, ...Array.from({ length: 100 }, () => ({ afterMs: 7_000, bytes: BEGINNING }))],
          },
        ]),
      ),
    });
  const expectFull = (answer: Answer): void => {
    expectError(answer, 502, "import_failed");
    expect(answer.headers.get("retry-after")).toBe("30");
  };

  it("has no more than six files of unknown size in memory, which half a minute of trickling sources keeps [A6-12]", async () => {
    const urls = trickling(6);
    const source = fakeTrickling(urls);
    const accounts = [client, await newClient(), await newClient()];
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const waiting: Promise<Answer>[] = [];
    for (const [i, account] of accounts.entries())
      waiting.push(...(await beginAll(source, account, urls.slice(2 * i, 2 * i + 2))));
    const another = await newClient();
    expectFull(await importFrom(URL_OF_IT, another));
    for (let ms = 0; ms < 30_000; ms += 1_000) await vi.advanceTimersByTimeAsync(1_000);
    for (const answer of await Promise.all(waiting)) expectError(answer, 502, "import_failed");
    expect((await importFrom(URL_OF_IT, another)).status).toBe(201);
  });

  it("finds no memory next to two archives in the same isolate [A6-12]", async () => {
    fakeSource({ [URL_OF_IT]: { steps: [PNG] } });
    const { memory } = home.platform;
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const archives = [1, 2].map((i) => memory.within(`job_${i}`, Date.now(), () => isOver, ARCHIVE_MIB));
    const imports = [1, 2].map((i) => memory.within(`acct_${i}`, Date.now(), () => isOver, IMPORT_MIB));
    expectFull(await importFrom());
    end();
    expect(await Promise.all([...archives, ...imports])).toEqual(Array(4).fill(undefined));
    expect((await importFrom()).status).toBe(201);
  });

  it("has two files of unknown size of one account in memory, and leaves places for the others [A6-12]", async () => {
    const urls = trickling(2);
    const source = fakeTrickling(urls);
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const waiting = await beginAll(source, client, urls);
    expectFull(await importFrom());
    expect((await importFrom(URL_OF_IT, await newClient())).status).toBe(201);
    for (let ms = 0; ms < 30_000; ms += 1_000) await vi.advanceTimersByTimeAsync(1_000);
    for (const answer of await Promise.all(waiting)) expectError(answer, 502, "import_failed");
    expect((await importFrom()).status).toBe(201);
  });
});
