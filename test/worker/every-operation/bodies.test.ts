import { beforeEach, describe, expect, it } from "vitest";
import { present } from "../../support/at.ts";
import { OPERATIONS } from "../../../src/operations.ts";
import type { Operation } from "../../../src/shared/api/operation.ts";
import { OPERATION_IDS } from "../../support/operation-tables.ts";
import { type Answer, type Client, newClient, send } from "../../support/worker/client/api.ts";
import { requestOf } from "../../support/operation-requests.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const JSON_TYPE = "application/json";

/** Bodies that JSON.parse refuses, or whose meaning differs between readers. */
const LOOSE: readonly (readonly [what: string, body: string, reason: string])[] = [
  ["nothing", "", "empty"],
  ["half an object", "{", "not valid JSON"],
  ["single quotes", "{'type': 'image'}", "not valid JSON"],
  ["a comment", '{"type": "image" /* sic */}', "not valid JSON"],
  ["a trailing comma", "[1,]", "not valid JSON"],
  ["two values", "{} {}", "not valid JSON"],
  ["a control character", '{"a": "\u0001"}', "not valid JSON"],
  ["NaN", '{"threshold": NaN}', "NaN"],
  ["Infinity", '{"threshold": Infinity}', "not valid JSON"],
  ["a number beyond all bounds", '{"threshold": 1e999}', "too large"],
  ["a key twice", '{"type": "image", "type": "video"}', '"type" appears twice'],
  ["a key twice, once escaped", '{"type": "image", "t\\u0079pe": "video"}', '"type" appears twice'],
  ["a key twice, deep inside", '{"a": [{"b": {"c": 1, "d": {}, "c": 2}}]}', '"c" appears twice'],
  ["__proto__ twice", '{"__proto__": {}, "__proto__": {}}', '"__proto__" appears twice'],
  ["half a surrogate pair", '{"prompts": ["\\ud800"]}', "surrogate"],
  ["a byte order mark", "\uFEFF{}", "byte order mark"],
  ["17 levels", "[".repeat(17) + "]".repeat(17), "levels deep"],
  ["100,000 levels", "[".repeat(100_000) + "]".repeat(100_000), "levels deep"],
];

const TYPES_TAKEN = [
  "application/json",
  "Application/JSON",
  " application/json ",
  "application/json;charset=utf-8",
  'application/json ; Charset = "UTF-8"',
  "application/json; charset=utf8; boundary=x;",
];
const TYPES_REFUSED = [
  null,
  "",
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/jsonp",
  "application/ld+json",
  "application/json, text/plain",
  "application/json charset=utf-8",
  "application/json; charset=utf-16",
  "application/json; charset=iso-8859-1",
];

/** The most bytes of JSON besides a picture; a body with a picture may be larger. */
const MOST_BESIDES: Readonly<Record<string, number>> = { "/v1/segment": 262_144 };

const WITH_BODY = OPERATION_IDS.map((id) => [requestOf(id), OPERATIONS[id] as Operation] as const)
  .filter(([{ body }]) => body !== undefined)
  .map(([{ method, path, body, headers }, { maxBodyBytes = 262_144 }]) => {
    const { "content-type": _type, ...others } = headers;
    return [method, path, { ...Object(body) }, maxBodyBytes, others] as const;
  });

describe.each(WITH_BODY)("400 on %s %s", (method, path, valid: Record<string, unknown>, max, required) => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

  const post = (
    body: BodyInit | null,
    type: string | null = JSON_TYPE,
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    send(method, path, {
      headers: {
        authorization: `Bearer ${client.key}`,
        ...required,
        "idempotency-key": "a key",
        ...(type !== null && { "content-type": type }),
        ...headers,
      },
      body,
    });

  it("refuses malformed and ambiguous JSON with an explanation [7-17]", async () => {
    for (const [what, body, reason] of LOOSE) {
      const answer = await post(body);
      expectError(answer, 400, "invalid_json");
      expect(answer.body.message, what).toContain(reason);
      expect(answer.body.message.length, what).toBeLessThan(250);
    }
  });

  it("refuses JSON that is no object", async () => {
    for (const body of ["null", "true", "1", '"text"', "[]"])
      expectError(await post(body), 400, "invalid_request");
  });

  it("refuses bytes that are not UTF-8 [7-17]", async () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0xaf, 0x22],
      [0xff, 0xfe, 0x7b, 0, 0x7d, 0],
    ]) {
      const answer = await post(new Uint8Array(bytes));
      expectError(answer, 400, "invalid_json");
      expect(answer.body.message).toContain("UTF-8");
    }
  });

  it("asks for an interrupted body again, and does not count it as an internal failure", async () => {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error("Network connection lost.")),
    });
    expectError(await post(broken), 400, "body_incomplete");
  });

  it("refuses any other Content-Type, and any other charset [1-1]", async () => {
    for (const type of TYPES_REFUSED) {
      const answer = await post(new TextEncoder().encode("{}"), type);
      expectError(answer, 400, "unsupported_content_type");
    }
  });

  it("refuses an encoded body and names its encoding [1-1]", async () => {
    for (const encoding of ["gzip", "GZIP", "br", "deflate, gzip", "identity, zstd", "x".repeat(9_000)]) {
      const answer = await post(new TextEncoder().encode("{}"), JSON_TYPE, { "content-encoding": encoding });
      expectError(answer, 400, "unsupported_content_type");
      expect(answer.body.message).toContain(`Content-Encoding "${encoding.slice(0, 39)}`);
      expect(answer.body.message.length).toBeLessThan(200);
    }
    for (const encoding of ["identity", "Identity", "", "identity, identity"])
      expectError(await post("{", JSON_TYPE, { "content-encoding": encoding }), 400, "invalid_json");
  });

  it("takes JSON with any spelling of its Content-Type, and reads the body [1-1]", async () => {
    for (const type of TYPES_TAKEN) {
      const field = present(Object.keys(valid).at(-1), "field");
      const wrong = field === "document" ? 1 : {};
      const answer = await post(JSON.stringify({ ...valid, [field]: wrong }), type);
      expectError(answer, 400, "invalid_request");
      // The field of an unread body would be missing.
      expect(answer.body.message, type).toMatch(new RegExp(`^${field}: must be `));
    }
  });

  it("refuses an object with an incomparable length in place of any field", async () => {
    for (const field of Object.keys(valid)) {
      const answer = await post(
        JSON.stringify({ ...valid, [field]: { length: { toString: 0, valueOf: 0 } } }),
      );
      expectError(answer, 400, "invalid_request");
    }
  });

  const streamed = (total: number): { body: ReadableStream; read: () => number } => {
    let sent = 0;
    const piece = new TextEncoder().encode(" ".repeat(16_384));
    return {
      read: () => sent,
      body: new ReadableStream({
        pull(controller) {
          if (sent >= total) return controller.close();
          sent += piece.length;
          controller.enqueue(piece);
        },
      }),
    };
  };

  it("refuses a body that is too large, whether or not it says how large it is, without reading it all [8-13]", async () => {
    const stated = `{"a": "${"x".repeat(max)}"}`;
    expectError(await post(stated), 400, "body_too_large");
    const unstated = streamed(100 * max);
    const answer = await post(unstated.body);
    expectError(answer, 400, "body_too_large");
    expect(answer.body.message).toContain(String(max));
    expect(unstated.read()).toBeLessThan(2 * max);
  });

  it("takes a body of just the largest size [8-13]", async () => {
    const body = '{"contentType": 1, "label": 1, "type": 1, "url": 1, "further": 1, "document": 1}';
    const most = MOST_BESIDES[path] ?? max;
    expectError(await post(body + " ".repeat(most - body.length)), 400, "invalid_request");
    expectError(await post(body + " ".repeat(most + 1 - body.length)), 400, "body_too_large");
  });

  it("never repeats long values [7-16]", async () => {
    const long = "x".repeat(200_000);
    for (const body of [
      `{"type": "${long}"}`,
      `{"type": "image", "${long}": 1}`,
      `{"${long}": 1, "${long}": 2}`,
      `{"a": ${long}}`,
      long,
    ]) {
      expect(JSON.stringify((await post(body)).body).length).toBeLessThan(900);
    }
  });
});

describe("400 of a request of the wrong shape", () => {
  it("names each wrong field [4.3-15 7-16]", async () => {
    const client = await newClient();
    const job = await client.send("POST", "/v1/jobs", {
      type: "video",
      prompts: [],
      tasks: ["3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.mp4"],
      threshold: 0.5,
    });
    expectError(job, 400, "invalid_request");
    expect(job.body.message).toBe(
      "prompts: must have at least 1 item; threshold does not belong to a video job.",
    );
    const list = await client.send("GET", "/v1/jobs?limit=1&limit=2");
    expectError(list, 400, "invalid_request");
    expect(list.body.message).toBe("limit: appears more than once.");
  });
});

describe("__proto__ as a key", () => {
  it("is a field like any other: ignored, or refused where unknown fields are", async () => {
    const client = await newClient();
    const post = (path: string, body: string) =>
      send("POST", path, {
        headers: { authorization: `Bearer ${client.key}`, "content-type": JSON_TYPE },
        body,
      });
    const presigned = await post(
      "/v1/uploads/presign",
      '{"contentType": "image/png", "__proto__": {"contentType": "text/html"}, "constructor": 1}',
    );
    expect(presigned.status).toBe(200);
    const job = await post("/v1/jobs", '{"type": "image", "__proto__": {"prompts": ["a"], "tasks": ["b"]}}');
    expectError(job, 400, "invalid_request");
    expect(job.body.message).toContain("prompts: is missing");
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
