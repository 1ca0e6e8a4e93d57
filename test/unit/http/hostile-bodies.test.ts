import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { type SmallHeap, startSmallHeap } from "../../support/runtime/small-heap.ts";

/** The largest body that each reader takes, in bytes. */
const LIMITS = {
  "/v1": 1_048_576,
  "/internal": 4_194_304,
  "/stripe": 1_000_000,
  "/label-studio": 10_000_000,
  "/mcp": 6_700_000,
  "/cvat": 20_000_000,
  "/segment": 6_928_812,
};

/** Strings that are cheap to send and expensive to read, to be repeated. */
const PIECES = {
  objects: "{},",
  arrays: "[],",
  numbers: "1.5,",
  texts: '"",',
  escapes: '"\\u0001\\u0001\\u0001\\u0001",',
  nests: "[[[[[[[[[[[[]]]]]]]]]]]],",
  keys: '{"a":0},',
};

const repeated = (piece: string, bytes: number): string => piece.repeat(Math.floor(bytes / piece.length));

/** Bodies of a size: the repeated part is an ignored field, a value set aside, or the whole. */
function bodiesOf(bytes: number): Record<string, string> {
  const room = bytes - 100;
  const bodies: Record<string, string> = {
    "an escaped text": `{"x":"${repeated("\\u0001", room)}"}`,
    "an escaped picture": `{"image":"${repeated("\\u0041", room)}"}`,
    "a picture": `{"image":"${"A".repeat(room - (room % 4))}"}`,
    "a long key": `{"${"x".repeat(room)}":1}`,
    "the same long key": `{"${"x".repeat(room / 2)}":1,"${"x".repeat(room / 2)}":1}`,
    "a text outside Latin-1": `{"x":"${"x".repeat(room)}\u2026"}`,
    "deep nests": "[".repeat(room),
    "quotation marks": `{"x":"${repeated('\\"', room)}"}`,
    "an open text": `{"x":"${"x".repeat(room)}`,
  };
  for (const [name, piece] of Object.entries(PIECES)) {
    bodies[name] = `{"image":5,"x":[${repeated(piece, room)}0]}`;
    bodies[`${name} in a picture`] = `{"image":[${repeated(piece, room)}0]}`;
    bodies[`${name} in annotations`] = `{"tasks":[{"data":{},"annotations":[${repeated(piece, room)}0]}]}`;
  }
  return bodies;
}

/** Of a body of twenty megabytes; a busy machine takes the same processor time, or somewhat more. */
const MOST_CPU_SECONDS = 2;

let heap: SmallHeap;
beforeAll(async () => {
  heap = await startSmallHeap();
});
afterAll(async () => {
  await heap[Symbol.asyncDispose]();
});

/** The status of the answer, which may come before the body is read; null if the connection closed first. */
const post = (path: string, body: string | Buffer, type = "application/json"): Promise<number | null> =>
  new Promise((resolve) => {
    const headers = { "content-type": type, "content-length": Buffer.byteLength(body) };
    const sent = request(heap.url + path, { method: "POST", headers, agent: false }, (response) => {
      response.resume().on("close", () => resolve(response.statusCode ?? null));
    });
    sent.on("error", () => resolve(null)).end(body);
  });

const names = Object.keys(bodiesOf(1_000));
const shortest = ["objects", "an escaped picture"];
const readers = Object.entries(LIMITS).filter(([path]) => isLong || path === "/cvat");

describe.each(readers)("the reader of %s, on a heap of 128 MB", (path, bytes) => {
  it.each(isLong ? names : shortest)(
    "survives four bodies at a time, and takes a bounded time: %s",
    async (name) => {
      const body = bodiesOf(bytes)[name] ?? "";
      const before = heap.cpuSeconds();
      const statuses = await Promise.all([1, 2, 3, 4].map(() => post(path, body)));
      for (const status of statuses) expect(status).toBeOneOf([200, 400, 429, null]);
      expect(heap.isAlive()).toBe(true);
      expect((heap.cpuSeconds() - before) / 4).toBeLessThan(MOST_CPU_SECONDS);
    },
  );
});

it("a frame of 15 MB is read, and so is the next", async () => {
  const picture = `{"image":"${"AAAA".repeat(4_900_000)}"}`;
  for (let i = 0; i < (isLong ? 10 : 2); i++) expect(await post("/cvat", picture)).toBe(200);
});

/** Fillings of a file in a form, among which the boundary is searched. */
const FILLINGS = { "almost boundaries": "\r\n--y", zeros: "\0", "line breaks": "\r" };
const MEGA = 1_000_000;
const FILE_BYTES = 49 * MEGA;

const HEAD =
  '--x\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n\x89PNG\r\n\x1a\n\0\0\0\r';
const TAIL = '\r\n--x\r\nContent-Disposition: form-data; name="prompt"\r\n\r\ncat\r\n--x--\r\n';

describe("a form with a picture of 49 MB, on a heap of 128 MB", () => {
  const fillings = Object.entries(FILLINGS).slice(0, isLong ? undefined : 1);
  it.each(fillings)(
    "is stored, four at a time, and takes bounded memory and time: %s [A26-3]",
    async (_, filling) => {
      const body = Buffer.concat([
        Buffer.from(HEAD, "latin1"),
        Buffer.alloc(FILE_BYTES, filling),
        Buffer.from(TAIL),
      ]);
      const before = heap.cpuSeconds();
      const growth = await heap.growthDuring(async () => {
        const type = "multipart/form-data; boundary=x";
        const statuses = await Promise.all([1, 2, 3, 4].map(() => post("/form", body, type)));
        expect(statuses).toEqual([200, 200, 200, 200]);
      });
      expect(growth).toBeLessThan(2 * FILE_BYTES);
      expect((heap.cpuSeconds() - before) / 4).toBeLessThan(MOST_CPU_SECONDS);
    },
  );
});
