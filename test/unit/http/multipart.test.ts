import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundaryOf, MultipartReader } from "../../../src/http/multipart.ts";
import { ServiceError } from "../../../src/shared/errors.ts";

type Bytes = Uint8Array<ArrayBuffer>;
interface Field {
  readonly name: string;
  readonly contentType: string | null;
  readonly value: Bytes;
}

const utf8 = (text: string): Bytes => new TextEncoder().encode(text);
const joined = async (pieces: readonly (string | Bytes)[]): Promise<Bytes> =>
  new Uint8Array(await new Blob([...pieces]).arrayBuffer());

/** Reads a form that arrives in chunks of these sizes, over and over. */
async function read(form: Bytes, boundary: string, sizes: readonly number[]): Promise<Field[]> {
  let [at, count] = [0, 0];
  const next = (): Promise<Bytes | null> => {
    const from = at;
    at += sizes[count++ % sizes.length] ?? 1;
    return Promise.resolve(from >= form.length ? null : form.subarray(from, at));
  };
  const reader = new MultipartReader(next, boundary);
  const fields: Field[] = [];
  for (let part = await reader.part(); part !== null; part = await reader.part()) {
    const pieces: Bytes[] = [];
    for (let bytes = await part.read(); bytes !== null; bytes = await part.read())
      pieces.push(new Uint8Array(bytes));
    fields.push({ name: part.name, contentType: part.contentType, value: await joined(pieces) });
  }
  return fields;
}

/** Bytes full of beginnings of the boundary. */
const nearlyBoundary = (boundary: string): fc.Arbitrary<Bytes> =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom("\r", "\n", "-", "\r\n", "\r\n--", `\r\n--${boundary.slice(0, -1)}`, `--${boundary}`),
        fc.string({ maxLength: 5 }),
      ),
      { maxLength: 30 },
    )
    .map((pieces) => utf8(pieces.join("")));

const value = (boundary: string): fc.Arbitrary<Bytes> =>
  fc
    .oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => new Uint8Array(bytes)),
      nearlyBoundary(boundary),
    )
    .filter((bytes) => !new TextDecoder("latin1").decode(bytes).includes(`\r\n--${boundary}`))
    .filter((bytes) => !new TextDecoder("latin1").decode(bytes).startsWith(`--${boundary}`));

const form = fc.stringMatching(/^[\w'()+,./:=?-]{1,70}$/).chain((boundary) =>
  fc.record({
    boundary: fc.constant(boundary),
    fields: fc.array(
      fc.record({
        name: fc.stringMatching(/^[\w ;"\\=]{1,12}$/),
        contentType: fc.constantFrom(null, "image/png", "text/plain; charset=utf-8"),
        value: value(boundary),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    sizes: fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 6 }),
    preamble: fc.constantFrom("", "\r\n", "ignored\r\n"),
    epilogue: fc.constantFrom("", "\r\n", "\r\nignored"),
  }),
);

const written = async (
  boundary: string,
  fields: readonly Field[],
  { preamble = "", epilogue = "\r\n" } = {},
): Promise<Bytes> =>
  joined([
    preamble,
    ...fields.flatMap(({ name, contentType, value: bytes }) => [
      `--${boundary}\r\nContent-Disposition: form-data; filename="a; name=b"; name="${name.replaceAll(/["\\]/g, "\\$&")}"\r\n`,
      contentType === null ? "" : `content-type: ${contentType}\r\n`,
      "\r\n",
      bytes,
      "\r\n",
    ]),
    `--${boundary}--`,
    epilogue,
  ]);

describe("a form", () => {
  it("has the same parts for any split into chunks [A26-3]", async () => {
    await fc.assert(
      fc.asyncProperty(form, async ({ boundary, fields, sizes, ...around }) => {
        const bytes = await written(boundary, fields, around);
        expect(await read(bytes, boundary, sizes)).toEqual(fields);
      }),
      { seed: Number(process.env["SEED"]), numRuns: 500 },
    );
  });

  it("is read like the platform's own", async () => {
    const own = new FormData();
    own.append("prompt", "cat");
    own.append('a "quoted" name', "x\r\ny");
    own.append("image", new Blob([new Uint8Array([1, 13, 10, 45, 45])], { type: "image/png" }), 'a"b.png');
    const response = new Response(own);
    const boundary = boundaryOf(response.headers.get("content-type") ?? "") ?? "";
    const fields = await read(new Uint8Array(await response.arrayBuffer()), boundary, [7]);
    expect(fields).toEqual([
      { name: "prompt", contentType: null, value: utf8("cat") },
      { name: 'a "quoted" name', contentType: null, value: utf8("x\r\ny") },
      { name: "image", contentType: "image/png", value: new Uint8Array([1, 13, 10, 45, 45]) },
    ]);
  });

  it("is refused if any part of its end is missing", async () => {
    const whole = await written("xyz", [{ name: "prompt", contentType: null, value: utf8("cat") }], {
      epilogue: "",
    });
    for (let end = 0; end < whole.length; end++)
      await expect(read(whole.subarray(0, end), "xyz", [9])).rejects.toThrow(/ends before its last boundary/);
    expect(await read(whole, "xyz", [9])).toHaveLength(1);
  });

  it.each([
    ["no name", "Content-Disposition: form-data", /no name/],
    ["another disposition", 'Content-Disposition: attachment; name="a"', /no name/],
    ["a line that is no header", "prompt", /no headers/],
    ["endless headers", `A: ${"x".repeat(9_000)}`, /too long/],
    ["a header without an end", "x".repeat(9_000), /too long/],
    [
      "an encoding",
      'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64',
      /Transfer-Encoding/,
    ],
  ])("is refused with a part that has %s", async (_, headers, message) => {
    const bytes = utf8(`--x\r\n${headers}\r\n\r\ncat\r\n--x--\r\n`);
    const refused = read(bytes, "x", [100]);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toBeInstanceOf(ServiceError);
  });

  it("is refused if its boundary continues in a part", async () => {
    const bytes = utf8('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--xy\r\n--x--');
    await expect(read(bytes, "x", [50])).rejects.toThrow(/boundary is in a part/);
  });
});

describe("the boundary of a Content-Type", () => {
  it.each([
    ["multipart/form-data; boundary=a-b", "a-b"],
    ['Multipart/Form-Data;charset=utf-8; Boundary="a b"', "a b"],
    ["application/json", null],
    ["multipart/form-data-x; boundary=a", null],
    [undefined, null],
  ])("%s: %s", (contentType, boundary) => {
    expect(boundaryOf(contentType)).toBe(boundary);
  });

  it.each([
    "multipart/form-data",
    "multipart/form-data; boundary=",
    `multipart/form-data; boundary=${"x".repeat(71)}`,
  ])("is demanded of a form: %s", (contentType) => {
    expect(() => boundaryOf(contentType)).toThrow(/has no boundary/);
  });
});
