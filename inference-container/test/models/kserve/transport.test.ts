import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Stage, Usage } from "../../../src/device/usage.ts";
import { infer } from "../../../src/models/kserve/infer.ts";
import { Semaphore } from "../../../src/semaphore.ts";
import type { Outputs } from "../../../src/models/kserve/response.ts";
import { ModelServer } from "../../../src/models/kserve/server.ts";
import type { Fake } from "../../support/model-server/fake-answer.ts";
import { find } from "../../support/model-server/fake-model.ts";
import { type FakeServer, startPlayedServer } from "../../support/model-server/fake-model-server.ts";
import { MODEL, type Seen } from "../../support/model-server/fake-request.ts";
import { picture } from "../fixture-scene.ts";

const TOKEN = "sesame-open";
/** Longer than any test waits. */
const HOUR_MS = 3_600_000;

let server: FakeServer;
let semaphore: Semaphore;
beforeEach(async () => {
  server = await startPlayedServer();
  semaphore = new Semaphore(2);
});
afterEach(() => server.close());

/** Asks for the blue object. Gives up if the server asks it to wait for more than a minute. */
function ask(
  usage = new Usage(),
  patienceMs = 60_000,
  timeoutMs = HOUR_MS,
  lingerMs = HOUR_MS,
): Promise<Outputs> {
  const client = new ModelServer({ origin: server.origin, model: MODEL, concurrency: 2 }, TOKEN);
  const asked = { picture, prompts: ["blue"], threshold: 0.5, contentHash: null, timeoutMs };
  return infer({ server: client, semaphore, most: 20, patienceMs, lingerMs }, () => asked, usage);
}

/** Gives these answers one after the other, then the fixture one. */
function answers(...first: readonly (Fake | ((seen: Seen) => Fake))[]): void {
  const left = [...first];
  server.infer = (seen) => {
    const next = left.shift() ?? find;
    return typeof next === "function" ? next(seen) : next;
  };
}

const busy = (status: number, after?: string): Fake => ({
  status,
  headers: after === undefined ? {} : { "retry-after": after },
});
const died: Fake = { status: 500, body: `{"error":"Stub process 'planted_0_1' is not healthy."}` };
const broken = (seen: Seen): Fake => ({ ...find(seen), cutAfter: 1_000 });

describe("a request is repeated", () => {
  it.each([
    ["by a server that has no room", [busy(429, "0"), busy(503, "0"), busy(503)]],
    ["by one that says until when", [busy(503, new Date(Date.now() - 5_000).toUTCString())]],
    ["by one that breaks the connection in the middle of its answer, once", [broken]],
    ["by one that breaks it before its answer", [(seen: Seen) => ({ ...find(seen), cutAfter: 0 })]],
    ["by a proxy that lost the server", [busy(502)]],
    ["by a Triton whose model's process has died", [died]],
  ])("when it was refused %s", async (_, first) => {
    answers(...first);
    expect((await ask()).count).toBe(1);
    expect(server.seen.length).toBe(first.length + 1);
  });

  it("when the server is away for a moment", async () => {
    await server.close();
    const asked = ask();
    await turn();
    await server.open();
    expect((await asked).count).toBe(1);
  });
});

describe("a task is handed back", () => {
  it.each([
    ["when the server has no room for longer than anybody waits", busy(429, "3600"), "has no room (429)"],
    ["when it says so with a date", busy(503, new Date(Date.now() + 3_600_000).toUTCString()), "(503)"],
    ["when the token is refused", { status: 401, body: `bad token ${TOKEN}` }, "answered 401: bad token …"],
    [
      "when the model is no longer there",
      { status: 404, body: "no model" },
      "answered 404: no model Check the",
    ],
    [
      "when the answer is a redirect",
      { status: 302, headers: { location: "http://127.0.0.1:1/" } },
      "answered 302",
    ],
  ])("%s", async (_, fake, reason) => {
    answers(fake, fake);
    await expect(ask()).rejects.toMatchObject({
      name: "ModelUnavailable",
      message: expect.stringContaining(reason),
    });
    expect(server.seen.length).toBe(1);
  });

  it("when the server stays away", async () => {
    await server.close();
    await expect(ask(new Usage(), 0)).rejects.toMatchObject({
      name: "ModelUnavailable",
      message: `The model "fixture" at ${server.origin} did not answer (ECONNREFUSED).`,
    });
  });
});

describe("a task fails, and the reason is for the log alone,", () => {
  it.each([
    [
      "when the request is refused",
      [{ status: 400, body: '{"error":"bad\nshape"}' }],
      "internal_error",
      'answered 400: {"error":"bad shape"}',
    ],
    [
      "when the model fails",
      [{ status: 500, body: '{"error":"out of memory"}' }],
      "internal_error",
      "answered 500",
    ],
    ["when the model's processes died", [died, died], "engine_crashed", "is not healthy"],
    ["when the connection breaks a second time", [broken, broken], "engine_crashed", "did not answer"],
    [
      "when the server died of it and has no room since",
      [broken, busy(503, "3600")],
      "engine_crashed",
      "did not answer",
    ],
  ])("%s", async (_, first, code, cause) => {
    answers(...first);
    await expect(ask()).rejects.toMatchObject({ code, cause: expect.stringContaining(cause) });
    expect(server.seen.length).toBe(first.length);
  });

  it("when the server takes longer than it may", async () => {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    server.infer = (seen) => {
      seen.gone.addEventListener("abort", () => resolve());
      return new Promise<never>(() => undefined);
    };
    await expect(ask(new Usage(), 60_000, 50, 1)).rejects.toMatchObject({
      code: "engine_timeout",
      message: expect.stringContaining("0.05 seconds"),
    });
    await gone;
    server.infer = find;
    expect((await ask()).count).toBe(1);
  });
});

describe("an abandoned request", () => {
  it.each([
    ["was cancelled", HOUR_MS, { message: "cancelled" }],
    ["took too long", 1, { code: "engine_timeout" }],
  ])("because it %s keeps its place until the server has answered", async (_, timeoutMs, reason) => {
    const begun: AbortController[] = [];
    const open: (() => void)[] = [];
    let most = 0;
    server.infer = async (seen) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      most = Math.max(most, open.push(resolve));
      if (timeoutMs === HOUR_MS) begun.shift()?.abort(new Error("cancelled"));
      await promise;
      return find(seen);
    };
    const left = Array.from({ length: 20 }, async () => {
      const controller = new AbortController();
      const entered = (stage: Stage): void => void (stage === "model" && begun.push(controller));
      const usage = new Usage(undefined, entered, controller.signal);
      await expect(ask(usage, undefined, timeoutMs)).rejects.toMatchObject(reason);
    });
    for (let done = 0; done < 20; done += 1) {
      while (open.length === 0) await turn();
      // A request that got a place in the meantime would be at the server by now.
      expect((await fetch(`${server.origin}/v2`)).status).toBe(200);
      open.shift()?.();
    }
    await Promise.all(left);
    expect(server.seen.length).toBe(20);
    expect(most).toBe(2);
  });

  it("is ended at the server if that doesn't answer in time", async () => {
    const controller = new AbortController();
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    server.infer = (seen) => {
      seen.gone.addEventListener("abort", () => resolve());
      controller.abort(new Error("cancelled"));
      return new Promise<never>(() => undefined);
    };
    const stages: Stage[] = [];
    const usage = new Usage(undefined, (stage) => stages.push(stage), controller.signal);
    await expect(ask(usage, undefined, undefined, 1)).rejects.toThrow("cancelled");
    await gone;
    expect(stages.at(-1)).toBe("busy");
    server.infer = find;
    expect((await ask()).count).toBe(1);
  });

  it("leaves while it waits for a place, or for its next attempt", async () => {
    const held = [await semaphore.acquire(), await semaphore.acquire()];
    const [waiting, retrying] = [new AbortController(), new AbortController()];
    const left = ask(new Usage(undefined, undefined, waiting.signal));
    waiting.abort(new Error("cancelled"));
    await expect(left).rejects.toThrow("cancelled");
    expect(server.seen).toEqual([]);
    for (const place of held) place[Symbol.dispose]();
    // The request that left holds neither place.
    for (const place of [await semaphore.acquire(), await semaphore.acquire()]) place[Symbol.dispose]();
    server.infer = () => busy(503, "50");
    const usage = new Usage(
      undefined,
      (stage) => {
        if (stage === "waiting" && server.seen.length > 0) retrying.abort(new Error("cancelled"));
      },
      retrying.signal,
    );
    await expect(ask(usage)).rejects.toThrow("cancelled");
    server.infer = find;
    expect((await ask()).count).toBe(1);
  });
});

describe("requests at once", () => {
  it("are as many as the manifest allows, and the others follow in order", async () => {
    const open: (() => void)[] = [];
    let most = 0;
    server.infer = async (seen) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      open.push(resolve);
      most = Math.max(most, open.length);
      await promise;
      return find(seen);
    };
    const asked = Array.from({ length: 5 }, () => ask());
    for (let done = 0; done < 5; done += 1) {
      while (open.length < Math.min(2, 5 - done)) await turn();
      open.shift()?.();
    }
    await Promise.all(asked);
    expect(most).toBe(2);
  });

  it("have the model while the server works, and wait otherwise", async () => {
    const stages: Stage[] = [];
    answers(busy(503, "0"));
    await ask(new Usage(undefined, (stage) => stages.push(stage)));
    expect(stages.filter((stage, i) => stage !== stages[i - 1])).toEqual([
      "waiting",
      "busy",
      "waiting",
      "model",
      "busy",
      "waiting",
      "busy",
      "waiting",
      "model",
      "busy",
    ]);
  });
});
