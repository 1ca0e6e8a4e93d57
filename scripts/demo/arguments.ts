import { join } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../shared/error-parts.ts";
import { usageError } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

export const DEMO_HELP = `Segments a photograph or a clip on this machine, from the upload to the masks.

  npm run demo                                  the sample: a coffee cup and a spoon
  npm run demo -- photo.jpg "cat" "chair"       your photograph, what to look for
  npm run demo -- clip.mp4 "cat"                your clip: MP4, QuickTime, WebM, Matroska or AVI

  --out DIR          where the results go (default demo-output)

Of a clip, up to six frames a second are looked at, unless you say otherwise:

  --fps N            so many frames a second
  --frames N         so many frames, spread over the clip
  --max-frames N     at most so many frames, beside either

The first run fetches the model (about 230 MB), once.
`;

/** Which frames of a clip are asked for, under the names of the API. */
export interface RequestedFrames {
  readonly fps?: number;
  readonly numFrames?: number;
  readonly maxFrames?: number;
}

export interface DemoRequest {
  /** A photograph or a clip. */
  readonly file: string;
  readonly prompts: readonly string[];
  readonly out: string;
  readonly frames: RequestedFrames;
}

/** Reads the command line, paths as they are given; null when help was asked for. */
export function parseDemoArguments(args: readonly string[]): DemoRequest | null {
  const { values, positionals } = read(args);
  if (values.help) return null;
  const { out } = values;
  const frames = requestedFrames(values);
  const [file, ...prompts] = positionals;
  if (file === undefined) {
    return { file: join(PROJECT_ROOT, "samples", "coffee.png"), prompts: ["cup", "spoon"], out, frames };
  }
  if (prompts.length === 0) throw usageError(`Say what to look for: npm run demo -- ${file} "cat" "chair"`);
  if (prompts.some((prompt) => prompt.trim() === "")) throw usageError("A prompt is empty.");
  return { file, prompts, out, frames };
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        out: { type: "string", default: "demo-output" },
        fps: { type: "string" },
        frames: { type: "string" },
        "max-frames": { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw usageError(`${messageOf(error)}\nSee: npm run demo -- --help`);
  }
}

function requestedFrames(values: ReturnType<typeof read>["values"]): RequestedFrames {
  const { fps, frames, "max-frames": most } = values;
  if (fps !== undefined && frames !== undefined) throw usageError("Give --fps or --frames, not both.");
  return {
    ...(fps !== undefined && { fps: positive("--fps", fps) }),
    ...(frames !== undefined && { numFrames: wholeNumber("--frames", frames) }),
    ...(most !== undefined && { maxFrames: wholeNumber("--max-frames", most) }),
  };
}

function positive(option: string, text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw usageError(`${option} takes a number above 0, like 2 or 0.5.`);
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw usageError(`${option} takes a whole number from 1 on.`);
}
