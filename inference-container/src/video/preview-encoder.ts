import { stat } from "node:fs/promises";
import { problemOf } from "@segmentation/protocol";
import type { Size } from "@segmentation/masks";
import { TaskFailure } from "../failures.ts";
import { FfmpegRun, STALL_SECONDS } from "./ffmpeg-run.ts";
import { rawMatroskaFrame, rawMatroskaHeader } from "./raw-matroska.ts";

/** Ticks per second of the encoded video: a multiple of the usual frame rates, with a resolution of 0.01 ms. */
const TIME_BASE = 90_000;

/** The longest display of the last frame, which no next frame ends. */
const LONGEST_LAST_SECONDS = 10;

/** Bytes per second that any disk can copy: to put the index in front, FFmpeg moves the whole file and is silent in the meantime. */
const SLOW_DISK = 1_000_000;

/**
 * Encodes frames with their true times into an MP4 that browsers play: H.264 with 4:2:0 chroma in BT.709, the index in
 * front. Frames must come in order of time; each is shown until the next, the last as long as the one before, at most ten
 * seconds. Its methods throw a TaskFailure with the code preview_failed or disk_full (the cause is FFmpeg's log) or
 * video_stalled, or the signal's reason. Disposing of it kills FFmpeg if it still runs.
 */
export class PreviewEncoder {
  readonly #run: FfmpegRun;
  readonly #size: Size;
  readonly #path: string;

  private constructor(run: FfmpegRun, size: Size, path: string) {
    this.#run = run;
    this.#size = size;
    this.#path = path;
  }

  /**
   * @param path of the MP4 to write
   * @param size of the frames in pixels, both even
   * @param loneSeconds the display of a video's only frame; ten seconds at most
   */
  static open(
    ffmpeg: string,
    path: string,
    size: Size,
    loneSeconds: number,
    signal: AbortSignal,
  ): PreviewEncoder {
    const run = new FfmpegRun(ffmpeg, encoderArguments(path, size, loneSeconds), { signal, withInput: true });
    run.input?.write(rawMatroskaHeader(size.width, size.height));
    return new PreviewEncoder(run, size, path);
  }

  /** Takes a frame of three sRGB bytes per pixel; resolves when there is room for another. Its bytes are not kept. */
  async write(rgb: Uint8Array, timeSec: number): Promise<void> {
    const length = 3 * this.#size.width * this.#size.height;
    if (rgb.length !== length) throw new Error(`A frame has ${rgb.length} bytes instead of ${length}.`);
    await this.#send(rawMatroskaFrame(length, timeSec));
    await this.#send(rgb);
  }

  /** Resolves when the file is complete. */
  async finish(): Promise<void> {
    this.#run.input?.end();
    const written = await stat(this.#path).then(
      ({ size }) => size,
      () => 0,
    );
    if (!(await this.#run.finished(STALL_SECONDS + written / SLOW_DISK))) throw this.#failure();
  }

  /** Kills FFmpeg if it still runs, and resolves once it is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#run[Symbol.asyncDispose]();
  }

  async #send(bytes: Uint8Array): Promise<void> {
    const { input } = this.#run;
    const written = new Promise<boolean>((resolve) => {
      if (input === null) resolve(false);
      else input.write(bytes, (error) => resolve(!error));
    });
    if (await this.#run.waitFor(written)) return;
    // Its log is complete only at its end.
    await this.#run.finished();
    throw this.#failure();
  }

  #failure(): Error {
    const { log } = this.#run;
    const isFull = log.includes("No space left on device");
    return new TaskFailure(problemOf(isFull ? "disk_full" : "preview_failed"), log);
  }
}

function encoderArguments(path: string, { width, height }: Size, loneSeconds: number): string[] {
  // ITU-T H.264, table A-1: level 4.2 ends at 8,704 macroblocks. By default x264 takes the time base for a frame rate.
  const level = Math.ceil(width / 16) * Math.ceil(height / 16) <= 8704 ? "4.2" : "5.1";
  return [
    ["-protocol_whitelist", "pipe", "-f", "matroska", "-copyts", "-i", "pipe:0"],
    ["-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-fps_mode", "passthrough"],
    ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-g", "60"],
    // Each thread holds separate frames; by default x264 starts three for two processors.
    ["-threads:v", "4"],
    ["-profile:v", "high", "-level:v", level],
    ["-bf", "0", "-bsf:v", `setts=duration='${durations(loneSeconds)}'`],
    ["-enc_time_base", `1:${TIME_BASE}`, "-video_track_timescale", String(TIME_BASE)],
    ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"],
    ["-movflags", "+faststart", "-f", "mp4", "-y", `file:${path}`],
  ].flat();
}

/** For https://ffmpeg.org/ffmpeg-bitstream-filters.html#setts; older FFmpegs choose a last frame's length themselves. */
function durations(loneSeconds: number): string {
  const lone = `${Math.min(loneSeconds, LONGEST_LAST_SECONDS).toFixed(5)}/TB`;
  const last = `min(PTS-PREV_INPTS,${LONGEST_LAST_SECONDS}/TB)`;
  return `if(eq(NEXT_PTS,NOPTS),if(eq(N,0),${lone},${last}),NEXT_PTS-PTS)`;
}
