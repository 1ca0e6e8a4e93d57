/** Writes a scene as an H.264 file. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { findFfmpeg } from "../../src/video/ffmpeg.ts";
import { frameCount, renderFrame, type Scene } from "./scene.ts";

/** Writes `scene` to the MP4 file `path`, quickly and close to the frames. @throws Error if FFmpeg can't */
export async function encode(scene: Scene, path: string): Promise<void> {
  const { width, height, fps } = scene;
  const options = [
    "-hide_banner -loglevel error -y",
    `-f rawvideo -pix_fmt rgb24 -s ${width}x${height} -r ${fps} -i -`,
    "-c:v libx264 -preset ultrafast -crf 20 -pix_fmt yuv420p -movflags +faststart",
    "-vf scale=out_color_matrix=bt709:out_range=tv",
    "-colorspace bt709 -color_primaries bt709 -color_trc bt709",
  ].flatMap((line) => line.split(" "));
  const child = spawn(findFfmpeg(process.env), [...options, path], { stdio: ["pipe", "ignore", "inherit"] });
  const closed = once(child, "close");
  await pipeline(Readable.from(frames(scene), { highWaterMark: 2 }), child.stdin);
  const [code] = await closed;
  if (code !== 0) throw new Error(`FFmpeg ended with ${code} while it wrote ${path}.`);
}

function* frames(scene: Scene): Generator<Uint8Array> {
  for (let index = 0; index < frameCount(scene); index += 1) yield renderFrame(scene, index);
}
