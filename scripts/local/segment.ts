import { existsSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import { runCommandLine } from "../../client/src/cli/run.ts";
import { parseOrder } from "../../client/src/cli/segment/arguments.ts";
import { kindOf } from "../../client/src/cli/segment/inputs/media.ts";
import { terminalUntil } from "../../client/src/cli/terminal.ts";
import { ResultFormat, VideoFormat } from "../../src/jobs/contract/job.ts";
import { readArguments, texts, usageError } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";
import type { StackAddress } from "../shared/state/state-folder.ts";

export const DEMO_HELP = `Segments a photograph or a video on this machine, from upload to masks, with the client's command line.

  npm run demo                                  a sample: a coffee cup and a spoon
  npm run demo -- photo.jpg "cat" "chair"       your photograph, and what to look for
  npm run demo -- street.mp4 "cat"              your video: MP4, MOV, WebM, MKV or AVI
  npm run demo -- photo.jpg --region 100,90     the object at this point of your photograph
  npm run demo -- street.mp4 --region 400,200@0.5 the object there after half a second of your video, tracked

  --out DIR          the folder for the results (default demo-output)
  --format F         also write the result as ${ResultFormat.options.join(", ")} (a video: ${VideoFormat.options.join(", ")}); may be repeated
  --region X,Y       mask the object at this point, in pixels; four numbers are a box: X,Y,W,H;
                     "X,Y;X,Y;!X,Y" are several points, those after ! outside the object; may be repeated.
                     "cup: X,Y" has a name. In a video, "X,Y@1.5s" is at a time, and "cup#1: X,Y@2s" the same object again

By default the demo processes up to six frames per second of a video. To change this:

  --fps N            process N frames per second
  --frames N         process N frames, spread over the video
  --max-frames N     process at most N frames; can be combined with either

The first run downloads the model once (about 230 MB).
`;

const SAMPLE = { file: join(PROJECT_ROOT, "samples", "coffee.png"), prompts: ["cup", "spoon"] };

/**
 * Reads the command line. Returns the arguments of the client's command line; null if it asks for help.
 * @param from the folder to which paths are relative
 * @throws Failure, a usage error that names the mistake
 */
export function segmentArguments(args: readonly string[], from: string): string[] | null {
  const { values, positionals } = readArguments("demo", args, {
    out: { type: "string", default: "demo-output" },
    ...texts("fps", "frames", "max-frames"),
    format: { type: "string", multiple: true, default: [] },
    region: { type: "string", multiple: true, default: [] },
  });
  const { help, out, format, region, ...frames } = values;
  if (help) return null;
  const [given, ...words] = positionals;
  const file = resolve(from, given ?? SAMPLE.file);
  const prompts = given === undefined && region.length === 0 ? SAMPLE.prompts : words;
  if (!existsSync(file)) throw usageError(`There is no file ${file}.`);
  if (prompts.length === 0 && region.length === 0)
    throw usageError(`Say what to look for: npm run demo -- ${given} "cat" "chair"`);
  if (kindOf(file) === "picture" && Object.keys(frames).length > 0)
    throw usageError(`--fps, --frames and --max-frames apply only to videos, but ${file} is a photograph.`);
  const time = new Date().toISOString().replaceAll(/[-:]|\..*/g, "");
  const order = [
    file,
    ...prompts.map((prompt) => `--prompt=${prompt}`),
    ...region.map((each) => `--region=${each}`),
    ...["png,coco", ...format].map((each) => `--format=${each}`),
    ...Object.entries(frames).map(([name, value]) => `--${name}=${value}`),
    "--preview",
    `--out=${resolve(from, out, `${basename(file, extname(file))}-${time}`)}`,
  ];
  parseOrder(order);
  return ["segment", ...order];
}

/** Runs the client's command line on a stack. Returns its exit code. @throws the signal's reason */
export async function segmentOn(
  { baseUrl, apiKey }: Pick<StackAddress, "baseUrl" | "apiKey">,
  args: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const terminal = terminalUntil(signal);
  const code = await runCommandLine(args, {
    ...terminal,
    env: { ...process.env, SEGMENTATION_BASE_URL: baseUrl, SEGMENTATION_API_KEY: apiKey },
    // It would say that the same command continues from here; but the next demo has another folder.
    report: (line) => (signal.aborted ? undefined : terminal.report(line)),
  });
  signal.throwIfAborted();
  return code;
}
