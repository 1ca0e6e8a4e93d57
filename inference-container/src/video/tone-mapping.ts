import { FfmpegRun } from "./ffmpeg-run.ts";

/** A frame's colors, by FFmpeg's names; "unknown" where the file names none. */
export interface Colours {
  readonly matrix: string;
  readonly primaries: string;
  readonly transfer: string;
}

/** Perceptual quantizer (SMPTE ST 2084) and hybrid log-gamma (ARIB STD-B67), the two curves of ITU-R BT.2100. */
const HDR_TRANSFERS = new Set(["smpte2084", "arib-std-b67"]);

/** ITU-R BT.2408, section 2.2: the luminance of white paper or of a caption, in cd/m². Ours is 1 in linear light. */
const REFERENCE_WHITE = 203;

/** In cd/m²: the peak of most HDR. Brighter is white. */
const BRIGHTEST = 1000;

/** Linear light below this does not change; brighter light is compressed. */
const UNCHANGED = 0.3;

/** True if a video has high dynamic range, which looks pale and gray without conversion. */
export const isHdr = ({ transfer }: Colours): boolean => HDR_TRANSFERS.has(transfer);

/**
 * True if this FFmpeg has the filters of `toneMapping`.
 * @throws TaskFailure named video_stalled; the signal's reason
 */
export async function canToneMap(ffmpeg: string, signal: AbortSignal): Promise<boolean> {
  await using run = new FfmpegRun(ffmpeg, ["-filters"], { signal });
  let listed = "";
  for await (const piece of run.output()) listed += piece.toString("latin1");
  return ["zscale", "tonemap"].every((name) => new RegExp(`^ \\S+ +${name} `, "m").test(listed));
}

const known = (value: string, instead: string): string => (value === "unknown" ? instead : value);

/**
 * FFmpeg's filters that turn frames of these colors into sRGB: linear light, BT.709's primaries, highlights compressed,
 * sRGB's curve. HDR without named primaries or matrix has those of BT.2020.
 */
export function toneMapping({ matrix, primaries, transfer }: Colours): string[] {
  return [
    `setparams=color_primaries=${known(primaries, "bt2020")}:color_trc=${transfer}:colorspace=${known(matrix, "bt2020nc")}`,
    `zscale=t=linear:npl=${REFERENCE_WHITE}`,
    "format=gbrpf32le",
    "zscale=p=bt709",
    `tonemap=mobius:param=${UNCHANGED}:peak=${BRIGHTEST / REFERENCE_WHITE}:desat=0`,
    "zscale=t=iec61966-2-1:r=full",
    "format=gbrp",
  ];
}
