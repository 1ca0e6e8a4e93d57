import { formatsOf } from "../../results/assets.ts";
import type { CreateJobRequest } from "../../schemas.ts";
import type { NumberBounds, OptionTable } from "../command/parse.ts";

/** A job's parameter that is a number: its option, and the field of the request for a job of each type that takes it. */
export interface Parameter extends NumberBounds {
  readonly type: "string";
  readonly image?: keyof Extract<CreateJobRequest, { readonly type: "image" }>;
  readonly video?: keyof Extract<CreateJobRequest, { readonly type: "video" }>;
}

const WHOLE = { least: 1, isWhole: true } as const;

/** Numeric parameters of a job, by their options. Renaming one separates runs from their output folders. */
export const PARAMETERS = {
  threshold: { type: "string", least: 0, most: 1, image: "threshold", video: "scoreThreshold" },
  fps: { type: "string", least: 0.001, video: "fps" },
  frames: { type: "string", ...WHOLE, video: "numFrames" },
  "max-frames": { type: "string", ...WHOLE, video: "maxFrames" },
} as const satisfies Readonly<Record<string, Parameter>>;

/** The option of such a parameter, without its hyphens. */
export type ParameterOption = keyof typeof PARAMETERS;

export const PARAMETER_OPTIONS = Object.keys(PARAMETERS).filter(
  (option): option is ParameterOption => option in PARAMETERS,
);

/** The options of `segment`. */
export const OPTIONS = {
  prompt: { type: "string", short: "p", multiple: true },
  region: { type: "string", multiple: true },
  format: { type: "string", multiple: true },
  preview: { type: "boolean" },
  ...PARAMETERS,
  out: { type: "string", short: "o" },
  manifest: { type: "string" },
  "endpoint-url": { type: "string" },
  "retry-failed": { type: "boolean" },
  yes: { type: "boolean" },
} as const satisfies OptionTable;

/** Formats that the command saves only on request. */
const EXTRA_FORMATS = formatsOf("image").filter((format) => format !== "coco");

/** Text of `segment --help`. */
export const HELP = `Finds what you describe in pictures and videos, and saves its masks.

  segmentation-client segment photo.jpg -p cat -p "red cup"
  segmentation-client segment photos/ "more/*.png" s3://bucket/pictures/ -p cat
  segmentation-client segment photo.jpg --region 430,200
  segmentation-client segment street.mp4 --region "dog: 400,200@1.5s" --fps 2

  -p, --prompt WORDS     one thing to find; may be repeated: -p cup -p spoon
  --region X,Y[,W,H]     mask what is at a point or in a box, in pixels; may be
                         repeated; "cup: X,Y;!X,Y": a name, a point off the cup;
                         "cup#1: X,Y@2s": object 1 of a video, after 2 seconds
  --format LIST          png,coco (default); ${EXTRA_FORMATS.join(", ")}
  --preview              also save pictures with their masks drawn on them
  --threshold T          the lowest confidence to keep, 0 to 1 (default 0.5)
  -o, --out DIR          the folder for the results (default: out; out-2, … for
                         other prompts), or s3://bucket/folder/
  --manifest FILE        take inputs from lines of JSON: custom_id, url, prompts
  --endpoint-url URL     the S3 service of s3://… (default: AWS's settings)
  --fps N, --frames N, --max-frames N     which frames of a video
  --retry-failed, --yes  retry failed files; no question above 10,000 files
  --base-url URL, --json the service (default: that of your last login); JSON

Run the same command again to resume, or to segment new and changed files only.
Exit codes: 0 for success, 1 if a file failed, 2 for a usage error.`;
