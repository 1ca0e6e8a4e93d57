import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FILE_KINDS } from "../../../test/support/file-kinds.ts";
import { TaskFailure } from "../../src/failures.ts";
import type { Picture } from "../../src/models/model.ts";
import { decodePicture } from "../../src/pictures/decode.ts";
import {
  chunk,
  onScreen,
  segmentAt,
  withChunks,
  withFrame,
  withSegment,
  words,
} from "../support/pictures/broken-pictures.ts";
import { noisySamples, turned } from "../support/pictures/pictures.ts";

const EOI = Buffer.from([0xff, 0xd9]);

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "structure-"));
});
afterAll(() => rm(folder, { recursive: true }));

let count = 0;
async function decode(bytes: Buffer): Promise<Picture> {
  const path = join(folder, String(count++));
  await writeFile(path, bytes);
  return decodePicture(path, "hash", 1_000_000);
}

async function failureOf(bytes: Buffer): Promise<TaskFailure> {
  const failure: unknown = await decode(bytes).catch((error: unknown) => error);
  if (failure instanceof TaskFailure) return failure;
  throw new Error("the picture was accepted");
}

/** Compares large arrays, for which an assertion takes long. */
const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(Buffer.from(b));

const noise = await noisySamples();
const jpegs = Object.fromEntries(
  ["bright.jpg", "progressive.jpg", "grey.jpg", "cmyk.jpg"].map((name) => [
    name,
    noise[name] ?? Buffer.alloc(0),
  ]),
);
const jpeg = jpegs["bright.jpg"] ?? Buffer.alloc(0);
const png = noise["bright.png"] ?? Buffer.alloc(0);
const gif = noise["bright.gif"] ?? Buffer.alloc(0);

describe.for(Object.entries(jpegs))("a JPEG: %s", ([, bytes]) => {
  test("is whole without the marker at its end, and with bytes after it", async () => {
    const { rgb } = await decode(bytes);
    expect(isSame((await decode(bytes.subarray(0, -2))).rgb, rgb)).toBe(true);
    expect(isSame((await decode(Buffer.concat([bytes, Buffer.alloc(500)]))).rgb, rgb)).toBe(true);
  });

  test.for([0.3, 0.6, 0.9])(
    "is truncated if pixels are missing, with that marker or without: %d",
    async (part) => {
      const cut = bytes.subarray(0, Math.floor(bytes.length * part));
      for (const each of [cut, Buffer.concat([cut, EOI]), Buffer.concat([cut, Buffer.alloc(16), EOI])])
        expect((await failureOf(each)).code).toBe("image_truncated");
    },
  );

  test("is cut short even if a thumbnail in it has an end", async () => {
    const whole = withSegment(bytes, Buffer.concat([Buffer.from([0xff, 0xd8]), EOI]));
    expect((await decode(whole)).width).toBe(200);
    const scan = segmentAt(whole, 0xda);
    for (const end of [40, scan - 10, scan + 3, scan + 40, whole.length - 300])
      expect((await failureOf(whole.subarray(0, end))).code).toBe("image_truncated");
  });

  test("is read with a harmless oddity: bytes between segments", async () => {
    const at = segmentAt(bytes, 0xc4);
    const odd = Buffer.concat([bytes.subarray(0, at), Buffer.alloc(5, 7), bytes.subarray(at)]);
    expect(isSame((await decode(odd)).rgb, (await decode(bytes)).rgb)).toBe(true);
  });
});

test.for<[string, string, Buffer]>([
  [
    "PNG with the end of another in its text",
    "image_truncated",
    withChunks(png, "IDAT", chunk("tEXt", Buffer.from("a\0IEND"))).subarray(0, -900),
  ],
  [
    "GIF whose last byte looks like its end",
    "image_truncated",
    Buffer.concat([gif.subarray(0, 600), Buffer.from([0x3b])]),
  ],
  ["12-bit JPEG", "image_format_unsupported", withFrame(jpeg, { marker: 0xc1, precision: 12 })],
  ["Lossless JPEG", "image_format_unsupported", withFrame(jpeg, { marker: 0xc3 })],
  ["JPEG-LS", "image_format_unsupported", withFrame(jpeg, { marker: 0xf7 })],
  ["iOS PNG", "image_format_unsupported", withChunks(png, "IHDR", chunk("CgBI", [0x50, 0, 0x20, 2]))],
  ["65535 × 65535", "image_too_many_pixels", withFrame(jpeg, { side: 65_535 })],
  [
    "2147483647 × 2147483647",
    "image_too_many_pixels",
    Buffer.concat([
      png.subarray(0, 8),
      chunk("IHDR", [...words(2 ** 31 - 1, 2 ** 31 - 1), 8, 2, 0, 0, 0]),
      png.subarray(33),
    ]),
  ],
  ["60000 × 60000", "image_too_many_pixels", onScreen(gif, [60_000, 60_000], [0, 0])],
])("what the decoder calls damaged has a name: %s", async ([name, code, bytes]) => {
  const failure = await failureOf(bytes);
  expect(failure.code).toBe(code);
  if (code !== "image_truncated") expect(failure.message).toContain(name);
});

test.for(
  FILE_KINDS.filter(
    ({ name }, i) => name !== null && FILE_KINDS.findIndex((kind) => kind.name === name) === i,
  ),
)("a file's format has its name: $name", async ({ head, name, contentType }) => {
  const failure = await failureOf(Buffer.concat([Buffer.from(head, "latin1"), Buffer.alloc(100)]));
  if (contentType.startsWith("video/")) expect(failure.message).toContain("The file is a video");
  else expect(failure.message).toContain(name);
});

describe("a GIF", () => {
  const white = [255, 255, 255];
  const at = ({ width, rgb }: Picture, x: number, y: number) => [
    ...rgb.subarray(3 * (y * width + x), 3 * (y * width + x) + 3),
  ];

  test.for<[number, number]>([
    [800, 600],
    [1_024, 768],
    [640, 480],
    [210, 160],
    [3_000, 300],
  ])("has the size of its screen, white around its first frame: %d × %d", async ([width, height]) => {
    const plain = await decode(gif);
    const picture = await decode(onScreen(gif, [width, height], [5, 7]));
    expect([picture.width, picture.height, picture.rgb.length]).toEqual([width, height, 3 * width * height]);
    expect(at(picture, 5, 7)).toEqual(at(plain, 0, 0));
    expect(at(picture, 204, 156)).toEqual(at(plain, 199, 149));
    for (const [x, y] of [
      [0, 0],
      [4, 7],
      [5, 6],
      [205, 156],
      [width - 1, height - 1],
    ] as const)
      expect(at(picture, x, y)).toEqual(white);
  });

  test.for<[number, number]>([
    [0, 0],
    [10, 10],
  ])("has the size of its first frame if its screen is smaller: %d × %d", async (screen) => {
    const picture = await decode(onScreen(gif, screen, [0, 0]));
    expect(isSame(picture.rgb, (await decode(gif)).rgb)).toBe(true);
  });
});

test.for(["IDAT", "IEND"] as const)(
  "a PNG's orientation counts anywhere in the file: before %s",
  async (place) => {
    const exif = (await sharp(await turned()).metadata()).exif?.subarray(6) ?? Buffer.alloc(0);
    const bytes = withChunks(png, place, chunk("eXIf", exif));
    const [plain, picture] = [await decode(png), await decode(bytes)];
    expect([picture.width, picture.height]).toEqual([150, 200]);
    // A quarter clockwise: the first row becomes the last column.
    expect([...picture.rgb.subarray(3 * 149, 3 * 150)]).toEqual([...plain.rgb.subarray(0, 3)]);
  },
);
