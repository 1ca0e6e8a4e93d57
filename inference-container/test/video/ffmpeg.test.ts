import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findFfmpeg } from "../../src/video/ffmpeg.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ffmpeg-"));
  for (const name of ["named", "bin/ffmpeg", "plain/ffmpeg"]) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), "");
  }
  await chmod(join(folder, "named"), 0o755);
  await chmod(join(folder, "bin/ffmpeg"), 0o755);
  await mkdir(join(folder, "folder/ffmpeg"), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const path = (...names: readonly string[]): string => names.map(at).join(delimiter);

test("FFMPEG_PATH comes before PATH", () => {
  expect(findFfmpeg({ FFMPEG_PATH: at("named"), PATH: path("bin") })).toBe(at("named"));
});

test("PATH comes before the package, and only what can be run counts", () => {
  expect(findFfmpeg({ PATH: path("missing", "plain", "folder", "bin") })).toBe(at("bin/ffmpeg"));
  expect(findFfmpeg({ FFMPEG_PATH: "", PATH: path("bin") })).toBe(at("bin/ffmpeg"));
});

test.for(["plain/ffmpeg", "folder/ffmpeg", "missing"])(
  "an FFMPEG_PATH that can't be run is refused, not passed over: %s",
  (name) => {
    const find = (): string => findFfmpeg({ FFMPEG_PATH: at(name), PATH: path("bin") });
    expect(find).toThrow(`FFMPEG_PATH names ${at(name)}`);
    expect(find).toThrow(/Install FFmpeg 5\.1 or newer/);
  },
);

test("without either it is the package's, or the error says how to get one", () => {
  const find = (): string => {
    try {
      return findFfmpeg({ PATH: path("missing") });
    } catch (error) {
      return String(error);
    }
  };
  expect(find()).toMatch(/@ffmpeg-binary\/.*\/ffmpeg$|FFmpeg was not found\. Install/);
});
