import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { zipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { takenByNpm } from "../../../scripts/shared/command-line.ts";
import { parseDemoArguments } from "../../../scripts/demo/arguments.ts";
import { readMedia } from "../../../scripts/demo/media.ts";
import { formatTable } from "../../../scripts/shared/table.ts";
import { unpack } from "../../../scripts/demo/walk.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "demo-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("the demo's command line", () => {
  it("takes the sample photograph when nothing is given", () => {
    const request = parseDemoArguments([]);
    expect(basename(request?.file ?? "")).toBe("coffee.png");
    expect(request).toMatchObject({ prompts: ["cup", "spoon"], out: "demo-output", frames: {} });
  });

  it("takes a photograph, prompts and a folder", () => {
    expect(parseDemoArguments(["--out", "here", "a.jpg", "cat", "grey chair"])).toEqual({
      file: "a.jpg",
      prompts: ["cat", "grey chair"],
      out: "here",
      frames: {},
      formats: [],
      regions: [],
    });
  });

  it("takes regions: a box, a point, several points on the object and beside it", () => {
    const regions = ["40,60,120.5,80", "100,90", "1,2; 3,4;!5,6"];
    const request = parseDemoArguments(regions.flatMap((region) => ["--region", region]));
    expect(request).toMatchObject({ prompts: [] });
    expect(basename(request?.file ?? "")).toBe("coffee.png");
    expect(request?.regions).toEqual([
      { box: [40, 60, 120.5, 80] },
      { points: [{ x: 100, y: 90, label: 1 }] },
      {
        points: [
          { x: 1, y: 2, label: 1 },
          { x: 3, y: 4, label: 1 },
          { x: 5, y: 6, label: 0 },
        ],
      },
    ]);
    const timed = parseDemoArguments(["clip.mp4", "--region", "400,200@0.5"]);
    expect(timed).toMatchObject({ file: "clip.mp4", prompts: [], regions: [{ timeSeconds: 0.5 }] });
    const beside = parseDemoArguments(["a.jpg", "cat", "--region", "1,2"]);
    expect(beside).toMatchObject({ file: "a.jpg", prompts: ["cat"], regions: [{ points: [{}] }] });
  });

  it.each([
    "",
    "1",
    "1,2,3",
    "1,2,3,0.5",
    "a,b",
    "1,2,3,4,5",
    "!1,2",
    "1,2;",
    "!1,2,3,4",
    "1,2,3,4;5,6",
    "1e3,2",
  ])("refuses the region %j and says what one is", (region) => {
    expect(() => parseDemoArguments([`--region=${region}`])).toThrow(
      "--region takes a box such as 40,60,120,80",
    );
  });

  it("takes formats, and says which there are", () => {
    const formats = ["coco", "labelmap"];
    const options = formats.flatMap((format) => ["--format", format]);
    expect(parseDemoArguments(["a.jpg", "cat", ...options])?.formats).toEqual(formats);
    expect(() => parseDemoArguments(["--format", "voc"])).toThrow(
      "--format must be one of coco, yolo, cutout, labelmap.",
    );
  });

  it.each([
    [["--fps", "0.5", "--max-frames", "20"], { fps: 0.5, maxFrames: 20 }],
    [["--frames", "12"], { numFrames: 12 }],
  ])("takes which frames of a clip to look at: %s", (options, frames) => {
    expect(parseDemoArguments(["a.mp4", "cat", ...options])?.frames).toEqual(frames);
  });

  it.each([
    ["a photograph without prompts", ["a.jpg"], "what to look for"],
    ["an empty prompt", ["a.jpg", " "], "empty"],
    ["an unknown option", ["--fast"], "--fast"],
    [
      "a rate together with a number of frames",
      ["a.mp4", "cat", "--fps", "2", "--frames", "9"],
      "cannot be combined",
    ],
    ["a rate of nothing", ["a.mp4", "cat", "--fps", "0"], "--fps must be a number above 0"],
    ["a rate that is not a number", ["a.mp4", "cat", "--fps", "fast"], "--fps must be a number above 0"],
    ["half a frame", ["a.mp4", "cat", "--frames", "1.5"], "--frames must be a whole number"],
    ["at most no frame", ["a.mp4", "cat", "--max-frames", "0"], "--max-frames must be a whole number"],
  ])("refuses %s", (_, args, sentence) => {
    expect(() => parseDemoArguments(args)).toThrow(sentence);
  });
});

describe("a photograph for the demo", () => {
  it("is known by its bytes, not by its name", async () => {
    const path = join(folder, "cat.jpg");
    await writeFile(path, await readFile(join(PROJECT_ROOT, "samples", "chelsea.png")));
    expect(await readMedia(path)).toMatchObject({
      kind: "photo",
      name: "cat",
      contentType: "image/png",
      size: "451×300",
    });
  });

  it("that is missing, or neither a picture nor a clip, is refused by name", async () => {
    const path = join(folder, "notes.jpg");
    await expect(readMedia(path)).rejects.toThrow(`There is no file ${path}.`);
    await writeFile(path, "no picture");
    await expect(readMedia(path)).rejects.toThrow(`${path} is neither a picture`);
  });

  it("that is a folder is refused by name", async () => {
    await expect(readMedia(folder)).rejects.toThrow(`${folder} cannot be read`);
  });
});

describe("the demo's archive", () => {
  it("is unpacked into its folder", async () => {
    const zip = zipSync({
      "masks/a/0.png": new Uint8Array([1, 2]),
      "output_manifest.json": new Uint8Array([123]),
    });
    expect(await unpack(zip, folder)).toEqual(["masks/a/0.png", "output_manifest.json"]);
    expect([...(await readFile(join(folder, "masks", "a", "0.png")))]).toEqual([1, 2]);
  });

  it("can't write outside its folder", async () => {
    const zip = zipSync({ "../escaped.txt": new Uint8Array([1]) });
    await expect(unpack(zip, join(folder, "in"))).rejects.toThrow("../escaped.txt");
  });
});

describe("a table", () => {
  it("has columns as wide as their widest cell and numbers to the right", () => {
    expect(
      formatTable(
        ["mask", "pixels"],
        [
          ["cup.png", 7],
          ["a", 1234],
        ],
      ),
    ).toEqual(["mask     pixels", "───────  ──────", "cup.png       7", "a          1234"]);
  });
});

describe("an option before --, which npm takes", () => {
  const options = ["region", "max-frames", "out", "dry-run", "yes", "email"];

  it("is missed where npm has put it into the environment", () => {
    const taken = (env: Readonly<Record<string, string>>, ...args: string[]) =>
      takenByNpm(args, options, env);
    expect(taken({ npm_config_region: "true" }, "430,200")).toEqual(["--region"]);
    expect(taken({ npm_config_max_frames: "4", npm_config_out: "x" })).toEqual(["--max-frames", "--out"]);
    expect(taken({ npm_config_dry_run: "true" })).toEqual(["--dry-run"]);
    expect(taken({ npm_config_dry_run: "true" }, "--dry-run")).toEqual([]);
    expect(taken({ npm_config_out: "x" }, "--out=y")).toEqual([]);
    expect(
      taken({ npm_config_yes: "true", npm_config_email: "a@example.com", npm_config_region: "" }),
    ).toEqual([]);
  });

  it("ends the command with what to type instead", () => {
    vi.stubEnv("npm_config_region", "true");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => parseDemoArguments(["430,200"])).toThrow(
      'npm took --region as its own. Did you forget "--"? npm run demo -- --region …',
    );
  });
});
