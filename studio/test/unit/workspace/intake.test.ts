import { describe, expect, it } from "vitest";
import { addressesIn, take } from "../../../src/workspace/rules/picture.ts";

const file = (name: string, type: string): File => new File(["x"], name, { type });
const cat = file("cat.jpg", "image/jpeg");
const dog = file("dog.png", "image/png");
const clip = file("clip.mp4", "video/mp4");

describe("files and URLs given to a workspace", () => {
  it("takes pictures, and files of which the browser knows no type", () => {
    const heic = file("cat.heic", "");
    expect(take([cat, heic, dog], false, "image")).toEqual({
      type: "image",
      accepted: [cat, heic, dog],
      refused: [],
    });
  });

  it("refuses what says that it is something else, by its name", () => {
    const { accepted, refused } = take([cat, file("notes.txt", "text/plain")], false, "image");
    expect(accepted).toEqual([cat]);
    expect(refused).toEqual([expect.stringMatching(/^notes\.txt: file not supported\. Pictures: JPEG, PNG/)]);
  });

  it("takes a clip alone, and only if there is nothing yet", () => {
    expect(take([clip], false, "image")).toEqual({ type: "video", accepted: [clip], refused: [] });
    expect(take([clip, cat], false, "image")).toMatchObject({ type: "image", accepted: [cat] });
    expect(take([clip], true, "image")).toMatchObject({ type: "image", accepted: [] });
    expect(take([cat], true, "video")).toMatchObject({ type: "video", accepted: [] });
    for (const given of [
      [clip, cat],
      [clip, clip],
    ])
      expect(take(given, false, "image").refused).toEqual([
        "A clip needs its own job. Start a new one for it.",
      ]);
  });

  it("knows a clip's address by its end", () => {
    expect(take([new URL("https://a.example/b.MOV?x=1")], false, "image").type).toBe("video");
    expect(take([new URL("https://a.example/b.jpg")], false, "image").type).toBe("image");
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
