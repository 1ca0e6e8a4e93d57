import { inspect } from "node:util";
import { SegmentationClient, SegmentationError } from "segmentation-client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { answering, OPTIONS } from "./support/answering.ts";
import { addressOf, memoryClient, memoryFetch, picture } from "./support/memory-client.ts";
import { fakeService } from "./support/fake-service.ts";

const refusal =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  () =>
    Response.json(body, { status, headers });
const account = () => Response.json({ accountId: "acct_1" });

describe("an operation", () => {
  it("puts its values into the contract's places: path, query, body", async () => {
    const { client, asked } = answering([account, account, account, account, account, account]);
    await client.api.retrieveJob({ jobId: "job/1" });
    await client.api.listJobs({ limit: 2, status: "failed" });
    await client.api.createApiKey({ label: "a key" });
    await client.api.getAccount();
    // A body of which each field may be left out is still sent; an operation without one sends none.
    await client.api.createShare({ jobId: "job_1" });
    await client.api.cancelJob({ jobId: "job_1" });
    expect(
      asked.map(({ url, init }) => `${init.method} ${url} ${typeof init.body === "string" ? init.body : ""}`),
    ).toEqual([
      "GET http://fake.test/prefix/v1/jobs/job%2F1 ",
      "GET http://fake.test/prefix/v1/jobs?limit=2&status=failed ",
      'POST http://fake.test/prefix/v1/api-keys {"label":"a key"}',
      "GET http://fake.test/prefix/v1/account ",
      "POST http://fake.test/prefix/v1/jobs/job_1/share {}",
      "POST http://fake.test/prefix/v1/jobs/job_1/cancel ",
    ]);
  });

  it("returns the response too", async () => {
    const { client } = memoryClient();
    const call = client.api.listJobs();
    const { data, response } = await call.withResponse();
    expect(data).toEqual(await call);
    expect([response.status, response.headers.get("x-request-id")]).toEqual([200, expect.any(String)]);
    await expect(client.api.retrieveJob({ jobId: "none" }).withResponse()).rejects.toThrow(SegmentationError);
  });

  it("lists the items of all pages", async () => {
    const { client, service } = memoryClient();
    for (let i = 0; i < 5; i++)
      await client.api.createJob({
        type: "image",
        prompts: ["cup"],
        tasks: [await client.upload(picture(i))],
      });
    const listed: string[] = [];
    for await (const { jobId } of client.api.listJobs({ limit: 2 })) listed.push(jobId);
    expect(listed).toEqual([...service.jobs.keys()].toReversed());
    expect(service.asked.filter((asked) => asked === "GET /v1/jobs")).toHaveLength(3);
  });

  it("that streams gives its events", async () => {
    const { client } = memoryClient({ looks: 1 });
    const { jobId } = await client.api.createJob({
      type: "image",
      prompts: ["cup"],
      tasks: [await client.upload(picture(1))],
    });
    const events: string[] = [];
    for await (const { event, data } of client.api.streamJobEvents({ jobId }))
      events.push(`${event} ${"progress" in data ? data.progress : data.status}`);
    expect(events).toEqual(["status processing", "progress 0.5", "end success"]);
  });

  it("rejects with the service's error: status, code, sentence, request id and hints", async () => {
    const hints = {
      remainingTokens: 1,
      requestedTokens: 3,
      expiresAt: "2026-12-04T09:30:00.000Z",
      upgradeUrl: "https://example.com/upgrade",
    };
    const body = { error: "trial_insufficient", message: "Not enough.", ...hints, stack: "no" };
    const { client } = answering([refusal(402, body, { "x-request-id": "r1" })]);
    const failure: unknown = await client.api
      .createJob({ type: "image", prompts: ["a"], tasks: [] })
      .catch((error) => error);
    expect(failure).toBeInstanceOf(SegmentationError);
    expect(failure).toMatchObject({
      code: "trial_insufficient",
      message: "Not enough.",
      status: 402,
      requestId: "r1",
      ...hints,
      body,
      stack: expect.stringContaining("SegmentationError: Not enough."),
    });
  });
});

describe("a failure that may pass", () => {
  const passing = [408, 429, 502, 503, 504, 520, 521, 522, 523, 524].map(
    (status) => [String(status), refusal(status, {})] as const,
  );
  const broken = [
    ["a lost connection", () => Promise.reject(new TypeError("fetch failed"))],
    ["an answer that arrives garbled", () => new Response('{"accountId":')],
    ["a request that is still running", refusal(409, { error: "idempotency_in_progress", message: "Wait." })],
  ] as const;

  it.each([...passing, ...broken])("is tried again: %s", async (_, answer) => {
    const { client } = answering([answer, answer, account]);
    expect(await client.api.getAccount()).toEqual({ accountId: "acct_1" });
  });

  it.each([400, 401, 402, 403, 404, 409, 500])("does not include %i", async (status) => {
    const { client, asked } = answering([refusal(status, { error: "some_code", message: "No." })]);
    await expect(client.api.getAccount()).rejects.toMatchObject({ status, code: "some_code" });
    expect(asked).toHaveLength(1);
  });

  it("does not include that a service takes no payments, although that is a 503", async () => {
    const refused = refusal(503, { error: "billing_not_configured", message: "Ask its operator." });
    const { client, asked } = answering([refused]);
    await expect(client.api.createCheckout()).rejects.toMatchObject({ code: "billing_not_configured" });
    expect(asked).toHaveLength(1);
  });

  it("is reported after the last attempt, in words", async () => {
    const { client, asked } = answering(
      Array(3).fill(() => Promise.reject(new TypeError("fetch failed"))),
      { maxRetries: 2 },
    );
    await expect(client.api.getAccount()).rejects.toMatchObject({
      code: "connection_failed",
      message: "The connection failed: fetch failed. Check the address and the network, then try again.",
    });
    expect(asked).toHaveLength(3);
  });

  it("is not waited for longer than a minute: its Retry-After is the caller's to follow", async () => {
    const { client } = answering([
      refusal(429, { error: "rate_limited", message: "Wait." }, { "retry-after": "61" }),
    ]);
    await expect(client.api.getAccount()).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterSeconds: 61,
    });
  });

  it("is reported before each retry, with the pause", async () => {
    const { client } = answering([refusal(503, { error: "trial_queue_full" }), refusal(429, {}), account]);
    const heard: unknown[] = [];
    await client.api.getAccount({}, { onRetry: ({ status }, pauseMs) => heard.push([status, pauseMs > 0]) });
    expect(heard).toEqual([
      [503, true],
      [429, true],
    ]);
  });

  it("of a POST is repeated under one Idempotency-Key; another POST has another", async () => {
    const { client, asked } = answering([refusal(503, {}), account, account, account]);
    await client.api.createApiKey({ label: "a" });
    await client.api.createApiKey({ label: "a" });
    await client.api.createApiKey({ label: "a" }, { idempotencyKey: "mine" });
    const keys = asked.map(({ init }) => new Headers(init.headers).get("idempotency-key"));
    expect(keys[0]).toBe(keys[1]);
    expect(new Set(keys).size).toBe(3);
    expect(keys[3]).toBe("mine");
  });

  it("of a storage that is busy is tried again, at the same place", async () => {
    const service = fakeService();
    let puts = 0;
    const busy: typeof fetch = async (input, init) =>
      init?.method === "PUT" && puts++ < 2
        ? new Response("<Error/>", { status: 500 })
        : await memoryFetch(service)(input, init);
    const { client } = memoryClient({}, { fetch: busy });
    await client.upload(picture(1));
    expect(service.uploads.size).toBe(1);
  });

  it("does not include a storage's refusal, which is cited", async () => {
    const service = fakeService();
    const refusing: typeof fetch = async (input, init) =>
      init?.method === "PUT"
        ? new Response("<Code>No</Code>", { status: 403 })
        : await memoryFetch(service)(input, init);
    const { client } = memoryClient({}, { fetch: refusing });
    const message = "The storage refused the file with status 403. Try again. It answered: <Code>No</Code>";
    await expect(client.upload(picture(1))).rejects.toMatchObject({
      code: "storage_refused",
      status: 403,
      message,
    });
  });
});

describe("a time limit", () => {
  const never = (): Promise<never> => new Promise(() => {});
  const stalled = (): Response =>
    new Response(new ReadableStream({ start: (c) => c.enqueue(new TextEncoder().encode('{"a"')) }));

  it.each([
    ["an answer that never begins", never],
    ["a body that never ends", stalled],
  ])("ends %s", async (_, answer) => {
    const { client } = answering([answer, answer], { maxRetries: 1, timeoutMs: 20 });
    await expect(client.api.getAccount()).rejects.toMatchObject({ code: "timed_out" });
  });

  it("of a file is how long nothing came, not how long it takes", async () => {
    const slow = (): Response => {
      let left = 8;
      return new Response(
        new ReadableStream(
          {
            async pull(c) {
              await new Promise((resolve) => setTimeout(resolve, 40));
              if (left-- > 0) c.enqueue(new Uint8Array(1));
              else c.close();
            },
          },
          { highWaterMark: 0 },
        ),
      );
    };
    const { client } = answering([slow], { timeoutMs: 200 });
    expect((await client.download("http://storage.test/file")).size).toBe(8);
  });
});

describe("a credential", () => {
  it("is asked for before each request, and never sent to the storage", async () => {
    const service = fakeService();
    const sent: (string | null)[] = [];
    const watching: typeof fetch = async (input, init) => {
      sent.push(
        `${new URL(addressOf(input)).pathname.split("/")[1]} ${new Headers(init?.headers).get("authorization")}`,
      );
      return await memoryFetch(service)(input, {
        ...init,
        headers: {
          ...Object.fromEntries(new Headers(init?.headers)),
          ...(addressOf(input).includes("/v1/") && { authorization: "Bearer sk_live_fake" }),
        },
      });
    };
    let tokens = 0;
    const accessToken = (): Promise<string> => Promise.resolve(`token ${(tokens += 1)}`);
    const { baseUrl } = OPTIONS;
    const client = new SegmentationClient({ baseUrl: new URL(baseUrl).origin, accessToken, fetch: watching });
    await client.upload(picture(1));
    await client.api.listJobs();
    expect(sent).toEqual(["v1 Bearer token 1", "storage null", "v1 Bearer token 2"]);
  });

  it("rejects with the error of a failing source", async () => {
    const accessToken = (): never => {
      throw new RangeError("signed out");
    };
    const client = new SegmentationClient({ baseUrl: OPTIONS.baseUrl, accessToken });
    await expect(client.api.getAccount()).rejects.toThrow(new RangeError("signed out"));
  });

  it("that hangs is given up after the time limit, and at once when its signal aborts", async () => {
    const accessToken = (): Promise<string> => new Promise(() => {});
    const { baseUrl } = OPTIONS;
    const client = new SegmentationClient({
      baseUrl,
      accessToken,
      timeoutMs: 20,
      maxRetries: 1,
      retryDelayMs: 1,
    });
    await expect(client.api.getAccount()).rejects.toMatchObject({ code: "timed_out" });
    const controller = new AbortController();
    const call = client.api.getAccount({}, { signal: controller.signal, timeoutMs: 3_600_000 });
    controller.abort("enough");
    await expect(call).rejects.toBe("enough");
  });

  it("that does not fit into a header is refused without being quoted", async () => {
    const apiKey = "sk_live_abc…";
    expect(() => new SegmentationClient({ ...OPTIONS, apiKey })).toThrow(
      new SegmentationError(
        "invalid_input",
        "The API key contains “…”, as no key does. Was it shortened? Copy the whole key.",
      ),
    );
    const client = new SegmentationClient({ baseUrl: OPTIONS.baseUrl, accessToken: () => "secret…" });
    const failure: unknown = await client.api.getAccount().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SegmentationError);
    expect(inspect(failure, { depth: 9 })).not.toContain("secret");
  });
});

describe("a client without arguments", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("has its address and its key from the environment", async () => {
    vi.stubEnv("SEGMENTATION_BASE_URL", "http://fake.test/");
    vi.stubEnv("SEGMENTATION_API_KEY", " sk_live_fake\n");
    const asked: unknown[] = [];
    vi.stubGlobal("fetch", (url: string, { headers }: RequestInit) => {
      asked.push([url, new Headers(headers).get("authorization")]);
      return Promise.resolve(account());
    });
    await new SegmentationClient().api.getAccount();
    vi.unstubAllGlobals();
    expect(asked).toEqual([["http://fake.test/v1/account", "Bearer sk_live_fake"]]);
  });

  it.each([
    [{}, "The client has no address. Give it a baseUrl, or set SEGMENTATION_BASE_URL."],
    [{ baseUrl: "nowhere" }, "nowhere is not an address. One looks like https://segmentation.example.com"],
    [
      { baseUrl: "https://fake.test" },
      "The client has no credential. Give it an apiKey or an accessToken, or set SEGMENTATION_API_KEY.",
    ],
  ])("says what is missing: %j", (options, message) => {
    vi.stubEnv("SEGMENTATION_BASE_URL", "");
    vi.stubEnv("SEGMENTATION_API_KEY", "");
    expect(() => new SegmentationClient(options)).toThrow(new SegmentationError("invalid_input", message));
  });
});
