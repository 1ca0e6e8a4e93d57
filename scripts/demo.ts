import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { ofClipsOnly } from "../client/src/cli/segment/region.ts";
import { createClient } from "./client/api-client.ts";
import { DEMO_HELP, parseDemoArguments } from "./demo/arguments.ts";
import { readMedia } from "./demo/media.ts";
import { walk } from "./demo/walk.ts";
import { runCommand, usageError } from "./shared/command-line.ts";
import { startStack } from "./stack/start-stack.ts";
import { stateFolder } from "./stack/state-folder.ts";

/** A separate folder, because `npm start` may be running at the same time. */
const STATE_DIR = ".local/demo";

async function demo(signal: AbortSignal): Promise<number> {
  const request = parseDemoArguments(process.argv.slice(2));
  if (request === null) {
    console.log(DEMO_HELP);
    return 0;
  }
  // npm runs scripts in the project's folder; paths are relative to the folder from which it was called.
  const from = process.env["INIT_CWD"] ?? process.cwd();
  const media = await readMedia(resolve(from, request.file));
  if (media.kind === "photo" && Object.keys(request.frames).length > 0)
    throw usageError(
      `--fps, --frames and --max-frames apply only to clips, but ${request.file} is a photograph.`,
    );
  if (media.kind === "clip" && request.formats.some((format) => format !== "coco"))
    throw usageError(`A clip can only be written as coco, but --format asks for more for ${request.file}.`);
  const timed = request.regions.flatMap((region) => ofClipsOnly(region) ?? [])[0];
  if (media.kind === "photo" && timed !== undefined)
    throw usageError(`A --region has ${timed}, which only clips take, but ${request.file} is a photograph.`);
  const stateDir = process.env["STATE_DIR"] ?? STATE_DIR;
  const stack = await startStack({
    port: 0,
    stateDir,
    onProgress: (sentence) => console.log(sentence),
    signal,
  });
  try {
    const { baseUrl, apiKey } = stack;
    const crash = stack.crashed.then((failure) => Promise.reject(failure));
    await Promise.race([
      walk(
        createClient({ baseUrl, apiKey, signal }),
        media,
        { ...request, out: resolve(from, request.out) },
        signal,
      ),
      crash,
    ]);
  } finally {
    await stack.stop();
    // Otherwise the next demo would also continue the interrupted clip.
    if (signal.aborted && stateDir === STATE_DIR)
      await rm(stateFolder(stateDir).data, { recursive: true, force: true });
  }
  return 0;
}

await runCommand(demo);
