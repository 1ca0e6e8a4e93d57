import { win32 } from "node:path";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { nearTo } from "../../src/cli/command/parse.ts";
import { formatTable, harmless, widthOf } from "../../src/cli/print/table.ts";
import { barLine } from "../../src/cli/progress/progress.ts";
import { duration, rate } from "../../src/cli/progress/words.ts";
import { parseOrder } from "../../src/cli/segment/arguments.ts";
import { parsePattern } from "../../src/cli/segment/inputs/find-inputs.ts";
import { imageRequest, purposeOf, videoRequest } from "../../src/cli/segment/order.ts";
import { parseRegion } from "../../src/cli/segment/region.ts";
import { whyForged } from "../../src/webhook-signature.ts";
import { mapParallel } from "../../src/http/parallel.ts";

describe("a pattern", () => {
  const paths = ["a.png", "b.jpg", "deep/a.png", "deep/er/a.png", "a+b.png", "apng"];
  const cases = [
    ["*.png", ".", ["a.png", "a+b.png"]],
    ["?.*", ".", ["a.png", "b.jpg"]],
    ["**/*.png", ".", ["a.png", "deep/a.png", "deep/er/a.png", "a+b.png"]],
    ["**", ".", paths],
    ["*/a.png", ".", ["deep/a.png"]],
    ["a+*.png", ".", ["a+b.png"]],
  ] as const;
  it.each(cases)("%s below %s matches %j", (text, folder, expected) => {
    const pattern = parsePattern(text);
    expect(pattern.folder).toBe(folder);
    expect(paths.filter(pattern.matches)).toEqual(expected);
  });

  it("on Windows begins below a drive's root, or the folder in which the process is on a drive", () => {
    const folderOf = (text: string): string => parsePattern(text, "win32").folder;
    expect(
      ["C:/*.png", "c:/photos/*.png", "C:*.png", "//server/share/*.png", "photos/*.png"].map(folderOf),
    ).toEqual(["C:/", "c:/photos", "C:.", "//server/share", "photos"]);
    expect(parsePattern("C:*.png", "win32").matches("a.png")).toBe(true);
    expect(win32.resolve(folderOf("C:/*.png"))).toBe("C:\\");
    expect(parsePattern("C:*.png", "linux").matches("C:a.png"), "a name elsewhere").toBe(true);
  });

  it("begins below the folders that have no wildcard", () => {
    expect(parsePattern("photos/of/**/*.png")).toMatchObject({ folder: "photos/of", isDeep: true });
    expect(parsePattern("/*.png")).toMatchObject({ folder: "/", isDeep: false });
    expect(parsePattern("/a/b/*.png")).toMatchObject({ folder: "/a/b", isDeep: false });
  });
});

describe("a region", () => {
  it.each([
    ["430,200", { points: [{ x: 430, y: 200, label: 1 }] }],
    ["40,60,120.5,80", { box: [40, 60, 120.5, 80] }],
    ["400,200@0.5", { points: [{ x: 400, y: 200, label: 1 }], timeSeconds: 0.5 }],
    ["40,60,120,80 @ 12s", { box: [40, 60, 120, 80], timeSeconds: 12 }],
    ["red cup: 430,200", { points: [{ x: 430, y: 200, label: 1 }], label: "red cup" }],
    ["#7: 430,200", { points: [{ x: 430, y: 200, label: 1 }], objectId: 7 }],
    ["cup #2:40,60,120,80@1.5s", { box: [40, 60, 120, 80], timeSeconds: 1.5, label: "cup", objectId: 2 }],
  ])("%s is read", (text, region) => {
    expect(parseRegion(text)).toEqual(region);
  });

  it.each([
    ": 1,2",
    "a: b: 1,2",
    "cup 1,2",
    "1,2@",
    "1,2@s",
    "1,2@-1",
    "1,2@1,5",
    "!1,2",
    "1,2,0.5,9",
    "1,2,9,0",
    "#a: 1,2@1@2",
    "cup:",
    "@1s",
  ])("%j is none", (text) => {
    expect(parseRegion(text)).toBeUndefined();
  });
});

describe("an order", () => {
  const { order } = parseOrder(
    [
      "a.png",
      "-p",
      "cat",
      "--region",
      "1,2,3,4",
      "--format",
      "yolo,png",
      "--preview",
      "--threshold",
      "0.3",
    ].concat("--frames", "5"),
  );

  it("becomes the request of a job of pictures, with the regions in each", () => {
    expect(imageRequest(order, ["t1", "t2"])).toEqual({
      type: "image",
      tasks: ["t1", "t2"],
      prompts: ["cat"],
      regions: [
        { taskId: "t1", box: [1, 2, 3, 4] },
        { taskId: "t2", box: [1, 2, 3, 4] },
      ],
      generatePreview: true,
      formats: ["yolo"],
      threshold: 0.3,
    });
  });

  it("becomes the request of a job of a video, with the frames and the regions", () => {
    expect(videoRequest(order, "t1")).toEqual({
      type: "video",
      tasks: ["t1"],
      prompts: ["cat"],
      regions: [{ taskId: "t1", box: [1, 2, 3, 4] }],
      generatePreview: true,
      scoreThreshold: 0.3,
      numFrames: 5,
    });
  });

  it("has the text that the journals of earlier runs contain", () => {
    const args = ["a.mp4", "-p", "cat", "--threshold", "0.3", "--fps", "2", "--max-frames", "9"];
    expect(purposeOf(parseOrder(args).order)).toBe(
      '{"prompts":["cat"],"regions":[],"formats":["coco","png"],"threshold":0.3,"fps":2,"maxFrames":9}',
    );
  });

  it("is the same for other files and in another order of the formats, and another for other prompts", () => {
    const of = (...args: string[]): string => purposeOf(parseOrder(args).order);
    const purpose = of("a.png", "-p", "cat", "--format", "png,coco");
    expect(of("b.png", "c.png", "-p", "cat", "--format", "coco", "--format", "png", "--yes")).toBe(purpose);
    expect(of("a.png", "-p", "dog")).not.toBe(purpose);
    expect(of("a.png", "-p", "cat", "--preview")).not.toBe(purpose);
  });
});

describe("an option that does not exist", () => {
  it("suggests the option that begins like it, or is spelled almost like it", () => {
    const options = ["prompt", "format", "frames", "fps", "out", "preview"];
    const meant = ["-o", "--output", "-f", "--prompts", "--previwe", "--zzz"].map((each) =>
      nearTo(each, options),
    );
    expect(meant).toEqual([
      ["--out"],
      ["--out"],
      ["--format", "--frames", "--fps"],
      ["--prompt"],
      ["--preview"],
      [],
    ]);
  });
});

describe("the output", () => {
  it("is a bar with the rate and the time left, no longer than the terminal is wide", () => {
    const line = barLine({ done: 412, total: 1_000, sent: 900, seconds: 100, waitsFor: undefined }, 80);
    expect(line).toBe(`${"█".repeat(9)}${"░".repeat(15)} 412/1,000  4.1/s  2 min 23 s left`);
    const clip = { total: 2, sent: 2, seconds: 10, waitsFor: undefined };
    expect(barLine({ ...clip, done: 0.57, frames: 20 }, 80)).toContain("12/40 frames  1.1/s  25 s left");
    expect(barLine({ ...clip, done: 0.5, frames: null }, 80)).toContain("25% of the frames  30 s left");
    const standing = fc.record({
      frames: fc.constantFrom(undefined, null, 1, 3_600),
      done: fc.nat(1_000),
      total: fc.integer({ min: 1_000, max: 100_000 }),
      sent: fc.nat(),
      seconds: fc.double({ min: 0, max: 1e6, noNaN: true }),
      waitsFor: fc.option(fc.string(), { nil: undefined }),
    });
    fc.assert(
      fc.property(standing, fc.integer({ min: 1, max: 200 }), (each, columns) => {
        expect(barLine(each, columns).length).toBeLessThan(columns);
        expect(barLine(each, columns)).not.toMatch(/NaN|Infinity/);
      }),
    );
  });

  it("shows times and rates in people's words", () => {
    expect([44.6, 184, 7_500].map(duration)).toEqual(["45 s", "3 min 4 s", "2 h 5 min"]);
    expect([3.21, 0.25].map(rate)).toEqual(["3.2/s", "15/min"]);
  });

  it("is a table with aligned columns for any content", () => {
    const cell = fc.oneof(fc.string({ unit: "grapheme" }), fc.nat());
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), (rows) => {
        const lines = formatTable(
          ["one", "two", ""],
          rows.map(([a, b]) => [a, `${b}`, "|"]),
        );
        expect(
          new Set(lines.slice(1).map((line) => widthOf(line.slice(0, line.lastIndexOf("|"))))).size,
        ).toBe(1);
        expect(lines.join("")).not.toMatch(/\p{Control}/u);
      }),
    );
    expect(
      formatTable(
        ["name", "n"],
        [
          ["猫.png", 5],
          ["a", 12],
        ],
      ),
    ).toEqual(["name     n", "猫.png   5", "a       12"]);
    expect(harmless("a\x1b[2Jb\n")).toBe("a�[2Jb�");
  });
});

describe("a webhook's signature", () => {
  const secret = `whsec_${Buffer.from("a secret of 24 bytes….").toString("base64")}`;
  const signed = (id: string, body: string, at: Date) => ({
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": `v1,${"A".repeat(43)}= ${new Webhook(secret).sign(id, at, body)}`,
  });

  it("is valid if the package standardwebhooks made it, and invalid after any change", async () => {
    const now = Date.now();
    await fc.assert(
      fc.asyncProperty(fc.uuid(), fc.string(), fc.string(), async (id, body, other) => {
        const headers = signed(id, body, new Date(now));
        const why = (
          text: string,
          more: Readonly<Record<string, string>> = {},
        ): Promise<string | undefined> => whyForged(Buffer.from(text), { ...headers, ...more }, secret, now);
        expect(await why(body)).toBeUndefined();
        if (other !== body) expect(await why(other)).toBe("its signature is wrong");
        expect(await why(body, { "webhook-id": `${id}x` })).toBe("its signature is wrong");
        expect(await why(body, { "webhook-timestamp": "1" })).toBe("its signature is too old");
        expect(await why(body, { "webhook-signature": "" })).toBe("it is not signed");
      }),
    );
    const headers = signed("evt", "{}", new Date(now));
    expect(await whyForged(Buffer.from("{}"), headers, secret, now + 301_000)).toBe(
      "its signature is too old",
    );
  });
});

describe("tasks at a time", () => {
  it("stop starting after a failure, and end before it is thrown", async () => {
    const ended: number[] = [];
    const tasks = Array.from({ length: 9 }, (_, i) => async () => {
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      if (i === 1) throw new Error("the second failed");
      ended.push(i);
    });
    await expect(mapParallel(tasks, 3, undefined, (task) => task())).rejects.toThrow("the second failed");
    expect(ended).toEqual([0, 2]);
  });
});
