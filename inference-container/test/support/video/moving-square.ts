import { execFileSync } from "node:child_process";
import { findFfmpeg } from "../../../src/video/ffmpeg.ts";

const WIDTH = 320;
const HEIGHT = 240;
const RATE = 15;
const SIDE = 80;
const PIXELS_A_SECOND = 40;

/** The square's left edge in pixels, `timeSec` into the video. */
export const squareLeft = (timeSec: number): number => Math.round(20 + PIXELS_A_SECOND * timeSec);

/** A video (MP4, H.264, 320 × 240, 15 frames per second) of a bright square that moves right over black. */
export function movingSquare(seconds: number): Buffer {
  const frames = Array.from({ length: seconds * RATE }, (_, n) => {
    const grey = Buffer.alloc(WIDTH * HEIGHT, 16);
    const left = squareLeft(n / RATE);
    for (let y = 80; y < 80 + SIDE; y++) grey.fill(235, y * WIDTH + left, y * WIDTH + left + SIDE);
    return grey;
  });
  const from = `-f rawvideo -pix_fmt gray -s ${WIDTH}x${HEIGHT} -r ${RATE} -i pipe:0`;
  // A fragmented file needs no seeking: it can be written to a pipe.
  const to =
    "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -movflags frag_keyframe+empty_moov -f mp4 pipe:1";
  return execFileSync(findFfmpeg(process.env), `-v error ${from} ${to}`.split(" "), {
    input: Buffer.concat(frames),
    maxBuffer: 64 * 1_048_576,
  });
}
