import { join } from "node:path";
import { ImageFormat, VideoFormat } from "../../src/contract/job.ts";
import { parseRegion, REGION_FORMS, type Region as DemoRegion } from "../../client/src/cli/segment/region.ts";
import { readArguments, texts, usageError, wholeNumber } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

export const DEMO_HELP = `Segments a photograph or a clip on this machine, from upload to masks.

  npm run demo                                  a sample: a coffee cup and a spoon
  npm run demo -- photo.jpg "cat" "chair"       your photograph, and what to look for
  npm run demo -- clip.mp4 "cat"                your clip: MP4, MOV, WebM, MKV or AVI
  npm run demo -- photo.jpg --region 100,90     whatever is at this point of your photograph
  npm run demo -- clip.mp4 --region 400,200@0.5 whatever is there in your clip after half a second, followed

  --out DIR          the folder for the results (default demo-output)
  --format F         also write the result as ${ImageFormat.options.join(", ")} (a clip: ${VideoFormat.options.join(", ")}); may be repeated
  --region X,Y       mask whatever is at this point, in pixels; four numbers are a box: X,Y,W,H;
                     "X,Y;X,Y;!X,Y" are several points, those after ! outside the object; may be repeated.
                     "cup: X,Y" has a name. In a clip, "X,Y@1.5s" is at a time, and "cup#1: X,Y@2s" the same object again

By default the demo processes up to six frames per second of a clip. To change this:

  --fps N            process N frames per second
  --frames N         process N frames, spread over the clip
  --max-frames N     process at most N frames; can be combined with either

The first run downloads the model once (about 230 MB).
`;

/** Which frames of a clip to process, under the names of the API. */
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
  /** What else the result is written as. */
  readonly formats: readonly ImageFormat[];
  /** What to mask, besides what the prompts find. */
  readonly regions: readonly DemoRegion[];
}

/** Reads the command line and leaves paths as given; null if it asks for help. @throws Failure, a usage error that names what is wrong */
export function parseDemoArguments(args: readonly string[]): DemoRequest | null {
  const { values, positionals } = read(args);
  if (values.help) return null;
  const regions = values.region.map(readRegion);
  const options = {
    out: values.out,
    frames: requestedFrames(values),
    formats: values.format.map(requestedFormat),
    regions,
  };
  const [file, ...prompts] = positionals;
  if (file === undefined) {
    const words = regions.length === 0 ? ["cup", "spoon"] : [];
    return { file: join(PROJECT_ROOT, "samples", "coffee.png"), prompts: words, ...options };
  }
  if (prompts.length === 0 && regions.length === 0)
    throw usageError(`Say what to look for: npm run demo -- ${file} "cat" "chair"`);
  if (prompts.some((prompt) => prompt.trim() === ""))
    throw usageError("A prompt is empty. Give at least one word per prompt.");
  return { file, prompts, ...options };
}

const read = (args: readonly string[]) =>
  readArguments("demo", args, {
    out: { type: "string", default: "demo-output" },
    ...texts("fps", "frames", "max-frames"),
    format: { type: "string", multiple: true, default: [] },
    region: { type: "string", multiple: true, default: [] },
  });

function requestedFrames(values: ReturnType<typeof read>["values"]): RequestedFrames {
  const { fps, frames, "max-frames": most } = values;
  if (fps !== undefined && frames !== undefined)
    throw usageError("--fps and --frames cannot be combined. Give one of them.");
  return {
    ...(fps !== undefined && { fps: positive("--fps", fps) }),
    ...(frames !== undefined && { numFrames: wholeNumber("--frames", frames) }),
    ...(most !== undefined && { maxFrames: wholeNumber("--max-frames", most) }),
  };
}

function requestedFormat(text: string): ImageFormat {
  const format = ImageFormat.safeParse(text);
  if (format.success) return format.data;
  throw usageError(`--format must be one of ${ImageFormat.options.join(", ")}.`);
}

function positive(option: string, text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw usageError(`${option} must be a number above 0, such as 2 or 0.5.`);
}

/** @throws Failure, a usage error, if the text is no region */
function readRegion(text: string): DemoRegion {
  const region = parseRegion(text);
  if (region !== undefined) return region;
  throw usageError(`--region takes ${REGION_FORMS}; not "${text}".`);
}
