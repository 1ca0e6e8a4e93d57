import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { segmentArguments } from "../../../../scripts/local/segment.ts";
import { Failure, takenByNpm } from "../../../../scripts/shared/command-line.ts";
import { PROJECT_ROOT } from "../../../../scripts/shared/root.ts";
import { formatTable } from "../../../../scripts/shared/table.ts";

const COFFEE = join(PROJECT_ROOT, "samples", "coffee.png");
const CLIP = "samples/people-crossing.mp4";

/** Returns the arguments for the client's command line, without the folder, whose name has the time. */
const segment = (...args: string[]) => segmentArguments(args, PROJECT_ROOT)?.slice(0, -1);

describe("the demo's command line", () => {
  it("takes the sample photograph when nothing is given", () => {
    expect(segment()).toEqual([
      "segment",
      COFFEE,
      "--prompt=cup",
      "--prompt=spoon",
      "--format=png,coco",
      "--preview",
    ]);
    expect(segment("--region", "1,2", "--region=-3,4,5,6")).toEqual([
      "segment",
      COFFEE,
      "--region=1,2",
      "--region=-3,4,5,6",
      "--format=png,coco",
      "--preview",
    ]);
  });

  it("takes a file, prompts and the client command line's options", () => {
    expect(
      segment("--format", "labelmap", "--fps", "0.5", "--max-frames", "20", CLIP, "cat", "grey chair"),
    ).toEqual([
      "segment",
      join(PROJECT_ROOT, CLIP),
      "--prompt=cat",
      "--prompt=grey chair",
      "--format=png,coco",
      "--format=labelmap",
      "--fps=0.5",
      "--max-frames=20",
      "--preview",
    ]);
  });

  it("has a folder for each run, where npm was called", () => {
    const args = segmentArguments(["coffee.png", "cup", "--out", "here"], join(PROJECT_ROOT, "samples"));
    expect(args?.at(-1)).toMatch(/^--out=.*[/\\]samples[/\\]here[/\\]coffee-\d{8}T\d{6}$/);
  });

  it.each([
    ["a file that is not there", ["a.jpg", "cat"], "There is no file"],
    ["a photograph without prompts", [COFFEE], "what to look for"],
    ["an empty prompt", [COFFEE, " "], "empty"],
    ["an unknown option", ["--fast"], "--fast"],
    ["a region that is none", [COFFEE, "--region", "1"], "--region takes a box such as 40,60,120,80"],
    ["a format that is none", [COFFEE, "cup", "--format", "voc"], "--format takes"],
    ["a rate of a photograph", [COFFEE, "cup", "--fps", "2"], "apply only to videos"],
    ["a rate with a number of frames", [CLIP, "cat", "--fps", "2", "--frames", "9"], "cannot be combined"],
    ["a rate that is not a number", [CLIP, "cat", "--fps", "fast"], "--fps takes a number"],
    ["half a frame", [CLIP, "cat", "--frames", "1.5"], "--frames takes a whole number"],
    ["at most no frame", [CLIP, "cat", "--max-frames", "0"], "--max-frames takes a whole number"],
  ])("refuses %s, before anything is started", (_, args, sentence) => {
    expect(() => segment(...args)).toThrow(
      expect.objectContaining({ name: "Failure", exitCode: 2, message: expect.stringContaining(sentence) }),
    );
    expect(() => segment(...args)).toThrow(Failure);
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
    expect(() => segmentArguments(["430,200"], PROJECT_ROOT)).toThrow(
      'npm took --region as its own. Did you forget "--"? npm run demo -- --region …',
    );
  });
});
