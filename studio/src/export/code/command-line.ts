import { shellPath, shellWord } from "./literal.ts";
import { uploadsOf, type ExportedJob } from "./exported-job.ts";

type ImageRequest = Extract<ExportedJob["request"], { readonly type: "image" }>;
type VideoRequest = Extract<ExportedJob["request"], { readonly type: "video" }>;

/** A command, or the reason for its absence; `note` describes its differences. */
interface CommandLine {
  readonly code: string | null;
  readonly note: string | null;
}

const option = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [`--${name} ${shellWord(String(value))}`];

/** A prompt that begins with a hyphen would be taken for an option. */
const prompt = (text: string): string =>
  text.startsWith("-") ? `--prompt=${shellWord(text)}` : `-p ${shellWord(text)}`;

/** The box that is asked for in each picture; null if they differ, undefined if there is none. */
function regionOptions({ regions = [], tasks }: ImageRequest): string[] | null {
  const boxesOf = (taskId: string): string =>
    regions
      .filter((region) => region.taskId === taskId)
      .map(({ box }) => box?.join(",") ?? "points")
      .join(" ");
  const [first = "", ...others] = tasks.map(boxesOf);
  if (first.includes("points") || others.some((boxes) => boxes !== first)) return null;
  return first === "" ? [] : first.split(" ").flatMap((box) => option("region", box));
}

/** Formats the regions of a video; null if the command line would read a name differently. */
function clipRegionOptions({ regions = [] }: VideoRequest): string[] | null {
  if (regions.some(({ label = "" }) => /[:#]/.test(label) || label !== label.trim())) return null;
  return regions.flatMap(({ box, points = [], label = "", objectId, timeSeconds }) => {
    const where = box ?? points.map(({ x, y, label: on }) => `${on === 1 ? "" : "!"}${x},${y}`);
    const who = `${label}${objectId === undefined ? "" : `#${objectId}`}`;
    return option(
      "region",
      `${who}${who === "" ? "" : ": "}${where.join(box === undefined ? ";" : ",")}@${timeSeconds ?? 0}s`,
    );
  });
}

const pictureOptions = ({ threshold }: ImageRequest): string[] => option("threshold", threshold);

const clipOptions = ({ scoreThreshold, fps, numFrames, maxFrames }: VideoRequest): string[] => [
  ...option("threshold", scoreThreshold || undefined),
  ...option("fps", fps),
  ...option("frames", numFrames),
  ...option("max-frames", maxFrames),
];

/** The job as a command of the client library's command line. Its boxes are those of every picture, and it takes no points. */
export function commandLine(exportedJob: ExportedJob, baseUrl: string): CommandLine {
  const { request } = exportedJob;
  const isImage = request.type === "image";
  const regions = isImage ? regionOptions(request) : clipRegionOptions(request);
  if (regions === null)
    return {
      code: null,
      note: isImage
        ? "The command line only takes boxes that are the same in every picture, and no points. Use another language."
        : "The command line takes no names with a colon or a number sign. Use another language.",
    };
  const files = uploadsOf(exportedJob).map(({ source, isUrl }) =>
    isUrl ? shellWord(source) : shellPath(source),
  );
  const formats = ["png", ...new Set(["coco", ...(request.formats ?? [])])].join(",");
  const parts = [
    "npx --no-install segmentation-client segment",
    ...files,
    ...(request.prompts ?? []).map(prompt),
    ...regions,
    ...(request.type === "image" ? pictureOptions(request) : clipOptions(request)),
    ...option("format", formats === "png,coco" ? undefined : formats),
    ...(request.generatePreview === true ? ["--preview"] : []),
    ...option("base-url", baseUrl),
  ];
  const code = `# SEGMENTATION_API_KEY has your API key. The results go to the folder "out".\n${lines(parts)}\n`;
  const hasMaskThreshold = request.type === "image" && (request.maskThreshold ?? 0.5) !== 0.5;
  return {
    code,
    note: hasMaskThreshold
      ? `The command line has no mask threshold option: it uses 0.5, not ${request.maskThreshold}.`
      : null,
  };
}

/** One line if it is short, otherwise one for each part. */
function lines(parts: readonly string[]): string {
  const line = parts.join(" ");
  return line.length <= 76 ? line : parts.join(" \\\n  ");
}
