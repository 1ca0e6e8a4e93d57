import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeSheet } from "../src/contact-sheet.ts";
import type { LabelledSet } from "../src/labelled-set.ts";
import type { Find, Label } from "../src/measures/query.ts";
import { queriesOf } from "../src/queries.ts";
import { type Miss, worstMisses } from "../src/worst-misses.ts";
import { find, label, rectangle, SIDE } from "./squares.ts";

const object = rectangle(10, 10, 40, 40);
const small = rectangle(120, 120, 20, 20);

function setOf(labels: readonly Label[], pictures = 1): LabelledSet {
  return {
    pictures: Array.from({ length: pictures }, (_, id) => ({
      id,
      file: `${id}.png`,
      width: SIDE,
      height: SIDE,
    })),
    categories: [{ id: 1, name: "cat" }],
    objects: labels.map((one, at) => ({ ...one, picture: at % pictures, category: 0, box: null })),
  };
}

function missesOf(labels: readonly Label[], finds: readonly Find[]): Miss[] {
  const set = setOf(labels);
  return worstMisses(
    set,
    queriesOf(
      set,
      finds.map((one) => ({ ...one, picture: 0, category: 0 })),
    ),
  );
}

describe("the worst misses", () => {
  it("are the largest undetected objects, then wrong detections", () => {
    const misses = missesOf([label(small), label(object)], [find(0.9, rectangle(70, 70, 30, 30))]);
    expect(misses.map(({ caption }) => caption)).toEqual([
      ["missed: cat, 4.0 % of the picture", "nothing was found there"],
      ["missed: cat, 1.0 % of the picture", "nothing was found there"],
      ["wrong: cat 0.90", "no cat is labelled there"],
    ]);
  });

  it("say how close the nearest detection or object was", () => {
    const half = rectangle(10, 10, 40, 16);
    expect(missesOf([label(object)], [find(0.6, half)]).map(({ caption: [, how] }) => how)).toEqual([
      "a find of 0.60 has IoU 0.40",
      "IoU 0.40 with the nearest cat",
    ]);
  });

  it("count an object found below the default threshold, and one found twice", () => {
    expect(missesOf([label(object)], [find(0.4, object)]).map(({ caption }) => caption[1])).toEqual([
      "found with a score of 0.40 only",
    ]);
    expect(
      missesOf([label(object)], [find(0.9, object), find(0.8, object)]).map(({ caption }) => caption),
    ).toEqual([["wrong: cat 0.80", "the object was found twice"]]);
  });

  it("are those at the default threshold of 0.5", () => {
    expect(missesOf([label(object)], [find(0.5, object), find(0.49, small)])).toEqual([]);
    expect(missesOf([], [find(0.5, small)])).toHaveLength(1);
  });

  it("leave out crowds, and more than two of a picture", () => {
    expect(missesOf([label(object, true)], [find(0.9, object)])).toEqual([]);
    expect(missesOf([label(object), label(object), label(object)], [])).toHaveLength(2);
    const set = setOf(
      Array.from({ length: 60 }, () => label(object)),
      20,
    );
    expect(worstMisses(set, queriesOf(set, []))).toHaveLength(16);
  });
});

describe("the contact sheet", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sheet-"));
    const grey = { create: { width: SIDE, height: SIDE, channels: 3, background: "#808080" } } as const;
    await sharp(grey).png().toFile(join(folder, "0.png"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("shows the object's outline in green and the detection's in orange, and leaves no other file", async () => {
    const path = join(folder, "made", "sheet.png");
    const set = setOf([label(object)]);
    const misses = missesOf(
      [label(object)],
      [find(0.4, rectangle(60, 10, 40, 40)), find(0.6, rectangle(10, 10, 40, 16))],
    );
    await writeSheet(path, misses.slice(0, 1), { set, pathOf: (file) => join(folder, file) });
    const { data, info } = await sharp(path).raw().toBuffer({ resolveWithObject: true });
    const count = (colour: readonly number[]): number => {
      let pixels = 0;
      for (let at = 0; at < data.length; at += info.channels)
        if (colour.every((byte, channel) => data[at + channel] === byte)) pixels += 1;
      return pixels;
    };
    expect(count([40, 200, 90])).toBeGreaterThan(300);
    expect(count([255, 110, 0])).toBeGreaterThan(50);
    expect(await readdir(join(folder, "made"))).toEqual(["sheet.png"]);
  });

  it("is not written if nothing was missed", async () => {
    await writeSheet(join(folder, "none", "sheet.png"), [], { set: setOf([]), pathOf: () => "" });
    expect(await readdir(folder)).not.toContain("none");
  });
});
