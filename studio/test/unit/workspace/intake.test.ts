import { describe, expect, it } from "vitest";
import { addressesIn, take } from "../../../src/workspace/rules/picture.ts";
import { type Given, inspect, type WorkspaceType } from "../../../src/workspace/rules/inspect-file.ts";

const LIMITS = { maxImageBytes: 2_000, maxVideoBytes: 4_000 };
const file = (name: string, type: string, head: string, size = 1_000): File =>
  new File([Uint8Array.from(head.padEnd(size, "\0"), (each) => each.charCodeAt(0))], name, { type });
const cat = file("cat.jpg", "image/jpeg", "\xff\xd8\xff\xe0");
const dog = file("dog.png", "image/png", "\x89PNG\r\n\x1a\n");
const clip = file("clip.mp4", "video/mp4", "\0\0\0\x18ftypmp42\0\0\0\0mp42isom");

const taken = async (given: readonly Given[], hasSome = false, type: WorkspaceType = "image") =>
  take(await Promise.all(given.map((each) => inspect(each, LIMITS))), hasSome, type);

describe("files and URLs given to a workspace", () => {
  it("are known by their first bytes, with any type from the browser", async () => {
    const unnamed = file("dog", "", "\x89PNG\r\n\x1a\n");
    expect(await taken([cat, unnamed, dog])).toEqual({
      type: "image",
      accepted: [cat, unnamed, dog],
      refused: [],
    });
    const film = file("film.mkv", "", "\x1a\x45\xdf\xa3");
    expect(await taken([film])).toMatchObject({ type: "video", accepted: [film] });
    const unknown = file("scan", "", "?");
    expect(await taken([unknown])).toMatchObject({ type: "image", accepted: [unknown] });
  });

  it.each([
    [
      file("a.heic", "", "\0\0\0\x18ftypheic\0\0\0\0mif1heic"),
      /^a\.heic: HEIC files are not supported\. To get a JPEG, /,
    ],
    [
      file("b.bmp", "image/bmp", "BM1234\0\0\0\0"),
      /^b\.bmp: BMP files are not supported\. Convert it to JPEG, /,
    ],
    [file("c.tif", "image/tiff", "II*\0"), /^c\.tif: TIFF files are not supported/],
    [file("d.flv", "video/x-flv", "FLV\x01"), /^d\.flv: FLV files are not supported\. Convert it to MP4, /],
    [file("e.png", "image/png", "hello"), /^e\.png: the file is not a picture/],
    [file("f.pdf", "application/pdf", "%PDF-"), /^f\.pdf: file not supported/],
    [file("notes.txt", "text/plain", "hello"), /^notes\.txt: file not supported\. Choose a JPEG, /],
    [new File([], "g.png", { type: "image/png" }), /^g\.png: the file is empty\.$/],
    [
      file("h.jpg", "image/jpeg", "\xff\xd8\xff", 2_001),
      /^h\.jpg has 2\.0 kB; a picture may have at most 2\.0 kB\./,
    ],
    [
      file("i.mp4", "video/mp4", "\0\0\0\x18ftypmp42", 4_001),
      /^i\.mp4 has 4\.0 kB; a video may have at most/,
    ],
  ])("are refused by name before the upload if the service can't take them (%#)", async (given, sentence) => {
    const { accepted, refused } = await taken([cat, given]);
    expect(accepted).toEqual([cat]);
    expect(refused).toEqual([expect.stringMatching(sentence)]);
  });

  it("takes a video alone, and only if there is nothing yet", async () => {
    expect(await taken([clip])).toEqual({ type: "video", accepted: [clip], refused: [] });
    expect(await taken([clip, cat])).toMatchObject({ type: "image", accepted: [cat] });
    expect(await taken([clip], true)).toMatchObject({ type: "image", accepted: [] });
    expect(await taken([cat], true, "video")).toMatchObject({ type: "video", accepted: [] });
    for (const given of [
      [clip, cat],
      [clip, clip],
    ])
      expect((await taken(given)).refused).toEqual(["A video needs its own job. Start a new one for it."]);
  });

  it("knows a video's address by its end", async () => {
    expect((await taken([new URL("https://a.example/b.MOV?x=1")])).type).toBe("video");
    expect((await taken([new URL("https://a.example/b.jpg")])).type).toBe("image");
  });
});

describe("addresses in a text", () => {
  it("has them by lines and spaces", () => {
    expect(addressesIn(" https://a.example/1.jpg\nhttp://b.example/2.jpg ")?.map(({ host }) => host)).toEqual(
      ["a.example", "b.example"],
    );
  });

  it.each([
    "",
    "cat",
    "https://a.example and more",
    "javascript:alert(1)",
    "data:image/png,x",
    "C:\\cat.jpg",
  ])("has none in %j", (text) => {
    expect(addressesIn(text)).toBeNull();
  });
});
