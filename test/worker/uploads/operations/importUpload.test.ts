import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ImportedUpload } from "../../../../src/uploads/contract/upload.ts";
import { inputKey } from "../../../../src/shared/bucket/object-keys.ts";
import { ARCHIVE_MIB } from "../../../../src/archives/operations/build-archive.ts";
import { IMPORT_MIB } from "../../../../src/uploads/operations/store-import.ts";
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
import { imageJob, JPEG, MP4, PNG, presign } from "../../../support/worker/fixtures/jobs.ts";
import { overrideSettings } from "../../../support/worker/runtime/settings.ts";
import { type PlayedSource, playSource } from "../../../support/worker/fakes/source.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

const URL_OF_IT = "https://pictures.example/cat.jpg";
const MEBI = 1024 ** 2;
/** What an object that is written in parts has in memory, and one byte more than that. */
const TWO_PARTS = 8 * MEBI + 1;

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

const importFrom = (url = URL_OF_IT, by = client): Promise<Answer> =>
  by.send("POST", "/v1/uploads/import", { url });

/** The first bytes of a picture, more than the service looks at. */
const BEGINNING = new Uint8Array([...PNG, ...new Uint8Array(88)]);

/** A picture of so many bytes, in pieces as they come from a network. */
function* picture(size: number, head = PNG): Generator<Uint8Array> {
  yield head;
  for (let left = size - head.length; left > 0; left -= 65_536) {
    yield new Uint8Array(Math.min(left, 65_536)).fill(left % 251);
  }
}

const objects = async (): Promise<string[]> =>
  (await env.MEDIA.list({ prefix: "inputs/" })).objects.map(({ key }) => key);
const uploads = (): Promise<unknown> => home.DB.prepare("SELECT count(*) AS n FROM uploads").first("n");
const bytesOfTheDay = (): Promise<unknown> =>
  home.DB.prepare("SELECT coalesce(sum(bytes), 0) AS n FROM upload_bytes WHERE account_id = ?")
    .bind(client.accountId)
    .first("n");

/** Expects that nothing is left of an import, and no connection open to its source. */
async function expectNothingLeft(source: PlayedSource): Promise<void> {
  expect({ objects: await objects(), uploads: await uploads() }).toEqual({ objects: [], uploads: 0 });
  expect(source.requests.every(({ signal }) => signal.aborted)).toBe(true);
}

describe("importUpload 201", () => {
  it.each([
    ["says its size", true, 200_000],
    ["does not say its size", false, 200_000],
    ["does not say its size, which is more than a part", false, TWO_PARTS],
  ])("stores the file of a source that %s [A6-1]", async (_, isPromised, size) => {
    playSource({ [URL_OF_IT]: { steps: picture(size), ...(isPromised && { size }) } });
    const { status, body } = await importFrom();
    expect(status).toBe(201);
    const { taskId, ...rest } = ImportedUpload.parse(body);
    expect(rest).toEqual({ contentType: "image/png", size });
    const object = await env.MEDIA.get(inputKey(client.accountId, taskId));
    expect(object?.httpMetadata).toEqual({ contentType: "image/png" });
    const whole = new Uint8Array(await new Blob([...picture(size)]).arrayBuffer());
    expect(Buffer.compare(new Uint8Array((await object?.arrayBuffer()) ?? []), whole)).toBe(0);
  });

  it("says what the file is by its bytes, or by the header where only that knows the format [A6-4]", async () => {
    const files = [
      [PNG, "image/png", "image/png", ".png"],
      [JPEG, "image/png", "image/jpeg", ".jpg"],
      [MP4, "image/jpeg", "video/mp4", ".mp4"],
      [JPEG, "text/html; charset=utf-8", "image/jpeg", ".jpg"],
      [JPEG, "", "image/jpeg", ".jpg"],
      [new Uint8Array(90), "Image/JXL; q=1", "image/jxl", ".jxl"],
    ] as const;
    for (const [bytes, header, contentType, extension] of files) {
      const headers: Record<string, string> = header === "" ? {} : { "content-type": header };
      playSource({ [URL_OF_IT]: { steps: [bytes], headers } });
      const { status, body } = await importFrom();
      expect({ status, contentType: body.contentType }, header).toEqual({ status: 201, contentType });
      expect(String(body.taskId).slice(36)).toBe(extension);
    }
  });

  it("takes a size for no promise where the source has coded the bytes", async () => {
    const answer = { steps: [PNG], size: 5, headers: { "content-encoding": "gzip" } };
    playSource({ [URL_OF_IT]: answer });
    expect(await importFrom()).toMatchObject({ status: 201, body: { size: PNG.length } });
  });

  it("follows two redirects, by whatever name the next one has there [A6-3]", async () => {
    const source = playSource({
      [URL_OF_IT]: { status: 302, headers: { location: "/other" } },
      "https://pictures.example/other": { status: 308, headers: { location: "//cdn.example/cat.png" } },
      "https://cdn.example/cat.png": { steps: [PNG] },
    });
    expect((await importFrom()).status).toBe(201);
    expect(source.requests.map(({ url }) => url)).toEqual([
      URL_OF_IT,
      "https://pictures.example/other",
      "https://cdn.example/cat.png",
    ]);
  });

  it("shows the source no credential, and follows no redirect unseen", async () => {
    const source = playSource({ [URL_OF_IT]: { steps: [PNG] } });
    await importFrom();
    expect(source.requests.map(({ method, redirect }) => `${method} ${redirect}`)).toEqual(["GET manual"]);
    expect(Object.fromEntries(source.requests[0]?.headers ?? [])).toEqual({
      accept: "image/*, video/*, */*;q=0.1",
      "accept-encoding": "identity",
      "user-agent": "segmentation-job-service",
    });
  });

  it("makes an upload that a job takes, and counts its bytes as uploaded [A6-1]", async () => {
    playSource({ [URL_OF_IT]: { steps: picture(1_000), size: 1_000 } });
    const { body } = await importFrom();
    expect(await bytesOfTheDay()).toBe(1_000);
    expect((await client.send("POST", "/v1/jobs", imageJob([body.taskId]))).status).toBe(202);
  });
});

describe("importUpload 400", () => {
  it("refuses a body without a URL of 1 to 2,048 characters", async () => {
    const tooLong = `https://example.com/${"a".repeat(2_048)}`;
    for (const body of [{}, { url: null }, { url: "" }, { url: tooLong }, []]) {
      expectError(await client.send("POST", "/v1/uploads/import", body), 400, "invalid_request");
    }
  });

  it("asks nobody for a URL that the rule for public URLs refuses [A6-2]", async () => {
    const source = playSource({});
    for (const url of [
      "http://pictures.example/cat.jpg",
      "https://0x7f.1/cat.jpg",
      "https://[::ffff:10.0.0.1]/cat.jpg",
      "https://user@pictures.example/cat.jpg",
      "https://api.test/v1/account",
      "http://127.0.0.1:9000/cat.jpg",
      "cat.jpg",
    ]) {
      expectError(await importFrom(url), 400, "url_forbidden", url);
    }
    expect(source.requests).toEqual([]);
  });

  it("takes a local URL where a setting allows it [A6-2]", async () => {
    overrideSettings({ ALLOW_LOCAL_URLS: true });
    playSource({ "http://127.0.0.1:9000/cat.jpg": { steps: [PNG] } });
    expect((await importFrom("http://127.0.0.1:9000/cat.jpg")).status).toBe(201);
  });

  it("follows no redirect to a URL that the rule refuses [A6-3]", async () => {
    for (const location of [
      "https://169.254.169.254/latest/meta-data/",
      "http://cdn.example/cat.jpg",
      "https://api.test/",
      "data:image/png;base64,AAAA",
    ]) {
      const source = playSource({ [URL_OF_IT]: { status: 301, headers: { location } } });
      expectError(await importFrom(), 400, "url_forbidden", location);
      expect(source.requests).toHaveLength(1);
      await expectNothingLeft(source);
    }
  });

  it("refuses what is neither a picture nor a video, by its bytes and by its header [A6-4]", async () => {
    const page = new TextEncoder().encode("<!doctype html>");
    for (const [bytes, type] of [
      [page, "text/html"],
      [new Uint8Array(100), "application/octet-stream"],
      [new Uint8Array(100), "image/"],
    ] as const) {
      const source = playSource({ [URL_OF_IT]: { steps: [bytes], headers: { "content-type": type } } });
      expectError(await importFrom(), 400, "import_type_unsupported", type);
      await expectNothingLeft(source);
    }
  });

  it.each([
    ["promises to be", PNG, { size: 1_001 }, 12],
    ["turns out to be", PNG, {}, 1_036],
    ["as a video turns out to be", MP4, {}, 2_064],
  ])("refuses a file that %s larger than its kind may be [A6-4]", async (_, head, promise, fetched) => {
    overrideSettings({ MAX_IMAGE_BYTES: 1_000, MAX_VIDEO_BYTES: 2_000 });
    const endless = (function* () {
      yield head;
      for (;;) yield new Uint8Array(256);
    })();
    const source = playSource({ [URL_OF_IT]: { steps: endless, ...promise } });
    const refused = await importFrom();
    expectError(refused, 400, "upload_too_large");
    await expectNothingLeft(source);
    expect(await bytesOfTheDay(), "what was stored counts").toBe("size" in promise ? 0 : fetched);
  });

  it("stores a file that is as large as its kind may be", async () => {
    overrideSettings({ MAX_IMAGE_BYTES: 1_000 });
    playSource({ [URL_OF_IT]: { steps: picture(1_000), size: 1_000 } });
    expect((await importFrom()).status).toBe(201);
  });
});

describe("importUpload 409", () => {
  it("has the budget of unused uploads, which it shares with presigned ones [A6-6]", async () => {
    overrideSettings({ MAX_UNUSED_UPLOADS: 2 });
    const source = playSource({ [URL_OF_IT]: { steps: [PNG] } });
    await presign(client);
    expect((await importFrom()).status).toBe(201);
    expectError(await importFrom(), 409, "too_many_uploads");
    expectError(
      await client.send("POST", "/v1/uploads/presign", { contentType: "image/png" }),
      409,
      "too_many_uploads",
    );
    expect(source.requests, "nobody is asked in vain").toHaveLength(1);
  });

  it("has the budget of a day's bytes, which failed imports use up too [A6-6]", async () => {
    overrideSettings({ MAX_UPLOAD_BYTES_PER_DAY: 1_000 });
    const steps = function* () {
      yield* picture(1_000);
      yield "failure" as const;
    };
    playSource({ [URL_OF_IT]: { steps: steps() } });
    expectError(await importFrom(), 502, "import_failed");
    const refused = await importFrom();
    expectError(refused, 409, "too_many_uploads");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("lets exactly as many of many at once through as fit [A6-6]", async () => {
    overrideSettings({ MAX_UNUSED_UPLOADS: 3 });
    playSource(
      Object.fromEntries(
        Array.from({ length: 8 }, (_, i) => [`${URL_OF_IT}?${i}`, { steps: [PNG], size: PNG.length }]),
      ),
    );
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => importFrom(`${URL_OF_IT}?${i}`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect({ objects: (await objects()).length, uploads: await uploads() }).toEqual({
      objects: 3,
      uploads: 3,
    });
  });
});

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
    const source = playSource({ [URL_OF_IT]: answer });
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
    const source = playSource({ [URL_OF_IT]: { steps: steps() } });
    expectError(await importFrom(), 502, "import_failed");
    await expectNothingLeft(source);
    const [key] = only(begin.mock.calls);
    const uploadId = await only(begin.mock.settledResults).value;
    const upload = env.MEDIA.resumeMultipartUpload(key, uploadId);
    await expect(upload.complete([])).rejects.toThrow("10024");
    expect(await bytesOfTheDay()).toBe(TWO_PARTS);
  });

  describe("of a slow source", () => {
    /** Imports, and lets so much time pass each time that the source pauses. */
    async function importWhile(source: PlayedSource, ...passing: number[]): Promise<Answer> {
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
      const source = playSource({ [URL_OF_IT]: answer });
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
      const source = playSource({ [URL_OF_IT]: { steps } });
      expect((await importWhile(source, 19_000, 19_000)).body.size).toBe(2 * BEGINNING.length);
    });

    it("that redirects before it is silent nothing remains after the same 20 seconds [A6-5]", async () => {
      const source = playSource({
        [URL_OF_IT]: { afterMs: 15_000, status: 302, headers: { location: "/other" } },
        "https://pictures.example/other": { steps: ["silence"] },
      });
      expectError(await importWhile(source, 15_000, 5_000), 502, "import_failed");
      await expectNothingLeft(source);
    });

    it("that never ends nothing remains after four minutes [A6-5]", async () => {
      const portion = new Uint8Array(1_500_000);
      const steps = [BEGINNING, ...Array.from({ length: 20 }, () => ({ afterMs: 19_000, bytes: portion }))];
      const source = playSource({ [URL_OF_IT]: { steps } });
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
      const source = playSource({ [URL_OF_IT]: { steps: [...fast, ...drops], ...size } });
      const refused = await importWhile(source, 7_000, 7_000, 7_000, 7_000, 2_000);
      expectError(refused, 502, "import_failed");
      expect(refused.body.message).toMatch(/less than 50 kB per second/);
      await expectNothingLeft(source);
    });

    it("that sends 1.5 MB in less than 30 seconds each the file is stored [A6-12]", async () => {
      const portion = { afterMs: 14_900, bytes: new Uint8Array(750_000) };
      const steps = [BEGINNING, ...Array.from({ length: 10 }, () => portion)];
      const source = playSource({ [URL_OF_IT]: { steps } });
      const { body } = await importWhile(source, ...Array.from({ length: 10 }, () => 14_900));
      expect(body.size).toBe(BEGINNING.length + 7_500_000);
    });
  });

  it("leaves nothing for a client that goes away [A6-7]", async () => {
    const source = playSource({ [URL_OF_IT]: { steps: [BEGINNING, "silence"] } });
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
    source: PlayedSource,
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
  const playTrickling = (urls: readonly string[]): PlayedSource =>
    playSource({
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
    const source = playTrickling(urls);
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

  it("has none in memory that two archives in the same isolate need [A6-12]", async () => {
    playSource({ [URL_OF_IT]: { steps: [PNG] } });
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
    const source = playTrickling(urls);
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const waiting = await beginAll(source, client, urls);
    expectFull(await importFrom());
    expect((await importFrom(URL_OF_IT, await newClient())).status).toBe(201);
    for (let ms = 0; ms < 30_000; ms += 1_000) await vi.advanceTimersByTimeAsync(1_000);
    for (const answer of await Promise.all(waiting)) expectError(answer, 502, "import_failed");
    expect((await importFrom()).status).toBe(201);
  });
});

describe("importUpload 500", () => {
  it.each([
    ["an object", PNG.length, "writeStream"],
    ["a part", undefined, "write"],
  ] as const)("leaves nothing where storage fails to write %s [A6-7]", async (_, size, method) => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    vi.spyOn(Media.prototype, method).mockRejectedValue(new Error("storage is down"));
    const source = playSource({ [URL_OF_IT]: { steps: [PNG], ...(size !== undefined && { size }) } });
    expectError(await importFrom(), 500, "internal_error");
    await expectNothingLeft(source);
  });

  it("keeps the record, and with it the sweep's sight of the object, where storage cannot delete", async () => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    vi.spyOn(Media.prototype, "delete").mockRejectedValue(new Error("storage is down"));
    playSource({ [URL_OF_IT]: { steps: [BEGINNING, "failure"], size: 200 } });
    expectError(await importFrom(), 502, "import_failed");
    expect(await uploads()).toBe(1);
  });
});
