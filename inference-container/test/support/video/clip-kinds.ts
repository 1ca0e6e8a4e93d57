import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { type ClipFolder, numbered } from "./clips.ts";

/** The frames of `source`. */
export const FRAMES = 24;
/** FFmpeg's arguments for a small input whose frames have numbers. */
export const source = numbered({ size: "64x48", frames: FRAMES });
export const h264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -bf 2 -b_strategy 0 -g 8".split(" ");
/** Options of MP4 for fragments that players read as they come. */
export const FRAGMENTS = "frag_keyframe+empty_moov+default_base_moof";

/** Makes the video that the kinds are made of. */
export const makePlain = (clips: ClipFolder): Promise<string> => clips.make(...source, ...h264, "plain.mp4");

/** Makes a video; gives its number of frames, and the time of the first, 0 by default. */
type Kind = readonly [
  title: string,
  make: (clips: ClipFolder) => Promise<string>,
  count: number,
  from?: number,
];

/** A video of the folder `clips` of the tests, which FFmpeg can't make. */
const kept =
  (name: string) =>
  async (clips: ClipFolder): Promise<string> => {
    await copyFile(join(import.meta.dirname, "..", "..", "video", "clips", name), clips.path(name));
    return clips.path(name);
  };

const copied =
  (before: readonly string[], ...after: readonly string[]) =>
  (clips: ClipFolder): Promise<string> =>
    clips.make(...before, "-i", "plain.mp4", "-c", "copy", ...after);

const dropped = ["-copyinkf", "-bsf:v", "noise=drop='lt(n,3)'"];

/** Videos of which a packet is no frame, or which don't begin at 0. They are made of the plain video. */
export const CLIP_KINDS: readonly Kind[] = [
  ["fields in packets of their own", kept("field-pictures.mp4"), 12],
  ["MPEG-4 with frames that only repeat another", kept("not-coded.mp4"), 25],
  ["a cut in an open group of pictures", kept("open-group-cut.mkv"), 20, 0.033],
  ["leading pictures that present before the first packet", kept("leading-pictures.mkv"), 22, 0.001],
  ["a recording that begins without a key frame", copied([], ...dropped, "cut.mp4"), 16, 0.32],
  ["the same in MKV", copied([], ...dropped, "cut.mkv"), 16, 0.32],
  [
    "pairs of equal times",
    (clips) => clips.make("-r", "2000", "-i", "plain.mp4", ...h264, "-r", "2000", "fast.mkv"),
    FRAMES,
  ],
  ["fragments without an edit list", copied([], "-movflags", FRAGMENTS, "parts.mp4"), FRAMES, 0.08],
  ["a stream that begins late", copied(["-itsoffset", "0.7"], "late.mp4"), FRAMES, 0.7],
  ["times of a long recording", copied([], "-output_ts_offset", "1000", "long.mkv"), FRAMES, 1000],
  ["times since 1970", copied([], "-output_ts_offset", "1590000000", "epoch.mkv"), FRAMES, 1_590_000_000],
  ["sound with samples that only prime its decoder", kept("primed-sound.mkv"), 30],
  ["an edit list that cuts", copied(["-ss", "0.3"], "edited.mp4"), 16],
];
