import { readFile, writeFile } from "node:fs/promises";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TaskFailure } from "../../src/failures.ts";
import { probeClip } from "../../src/video/probe.ts";
import { clipFolder, ffmpeg, numbered, type ClipFolder } from "../support/video/clips.ts";

let clips: ClipFolder;
beforeAll(async () => {
  clips = await clipFolder();
  await clips.make(...numbered(), ...h264, "whole.mp4");
});
afterAll(() => clips.remove());

const h264 = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p"];
const tone = ["-f", "lavfi", "-i", "sine=d=1"];
const LIMITS = { inputPixels: 320 * 240, seconds: 60 };

async function refusalOf(path: string, limits = LIMITS): Promise<TaskFailure> {
  const outcome: unknown = await probeClip(ffmpeg, path, limits, new AbortController().signal).catch(
    (error: unknown) => error,
  );
  if (outcome instanceof TaskFailure) return outcome;
  throw new Error("the video was accepted", { cause: outcome });
}

async function written(name: string, bytes: Buffer | string): Promise<string> {
  await writeFile(clips.path(name), bytes);
  return clips.path(name);
}

/** The beginning of the whole video: `part` of its bytes. */
async function cut(part: number, name: string, ...options: readonly string[]): Promise<string> {
  const bytes = await readFile(await clips.make("-i", "whole.mp4", "-c", "copy", ...options, name));
  return written(`cut-${name}`, bytes.subarray(0, Math.floor(bytes.length * part)));
}

async function cutBetweenFrames(): Promise<string> {
  const bytes = await readFile(await clips.make("-i", "whole.mp4", "-c", "copy", "between.avi"));
  return written("cut-between.avi", bytes.subarray(0, bytes.lastIndexOf("00dc", bytes.lastIndexOf("idx1"))));
}

const recoded = (name: string, ...codec: readonly string[]): Promise<string> =>
  clips.make("-i", "whole.mp4", ...codec, name);

const crowded = (): Promise<string> =>
  clips.make(
    "-i",
    "whole.mp4",
    ...tone,
    "-map",
    "0",
    ...Array.from({ length: 20 }, () => ["-map", "1"]).flat(),
    "-shortest",
    "crowd.mkv",
  );

/** A playlist that names a local file. */
const playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n";

test.for([
  ["an empty file", "video_unreadable", () => written("empty.mp4", "")],
  ["a text that is named like a video", "video_unreadable", () => written("text.mp4", "hello\n".repeat(999))],
  ["a picture", "video_unreadable", async () => written("picture.mp4", await blank().png().toBuffer())],
  ["noise", "video_unreadable", () => written("noise.mkv", noise(20_000))],
  ["a playlist of local files", "video_unreadable", () => written("list.m3u8", playlist)],
  [
    "a concatenation",
    "video_unreadable",
    () => written("list.avi", "ffconcat version 1.0\nfile /etc/passwd\n"),
  ],
  ["an MP4 of noise", "video_unreadable", () => spoilt()],
  ["an MPEG transport stream", "video_format_unsupported", () => recoded("stream.ts", "-c", "copy")],
  ["an FLV", "video_format_unsupported", () => recoded("flash.flv", "-c", "copy")],
  ["an Ogg", "video_format_unsupported", () => recoded("theora.ogv", "-c:v", "libtheora")],
  ["a codec that is not read", "video_codec_unsupported", () => recoded("ffv1.mkv", "-c:v", "ffv1")],
  ["a codec that nobody knows", "video_codec_unsupported", () => renamedCodec()],
  ["sound alone", "video_stream_missing", () => clips.make(...tone, "-c:a", "aac", "sound.mp4")],
  ["sound with a cover picture", "video_stream_missing", () => covered()],
  ["an MP4 whose index, at the end, is missing", "video_truncated", () => cut(0.7, "behind.mp4")],
  [
    "an MP4 with its index in front",
    "video_truncated",
    () => cut(0.7, "front.mp4", "-movflags", "faststart"),
  ],
  ["an MP4 that stops within its first bytes", "video_truncated", () => cut(0.003, "start.mp4")],
  [
    "a fragmented MP4",
    "video_truncated",
    () => cut(0.9, "parts.mp4", "-movflags", "frag_keyframe+empty_moov"),
  ],
  ["an MKV", "video_truncated", () => cut(0.7, "cut.mkv")],
  ["more tracks than are read", "video_unreadable", () => crowded()],
  ["an AVI", "video_truncated", () => cut(0.7, "cut.avi")],
  ["an AVI that stops between two frames", "video_truncated", () => cutBetweenFrames()],
] as const)("%s is refused as %s", async ([, code, make]) => {
  const refusal = await refusalOf(await make());
  expect(refusal.code).toBe(code);
  expect(refusal.retryable).toBe(false);
  expect(refusal.message).toMatch(/(Send|Upload|Encode|Export) .*\.$/);
});

const blank = (): Sharp => sharp({ create: { width: 64, height: 64, channels: 3, background: "#123456" } });

function noise(length: number): Buffer {
  let state = 7;
  return Buffer.from(
    Array.from({ length }, () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 24),
  );
}

/** A video with a correct index and noise for frames. */
async function spoilt(): Promise<string> {
  const bytes = Buffer.from(await readFile(clips.path("whole.mp4")));
  const start = bytes.indexOf("mdat") + 4;
  noise(bytes.indexOf("moov") - 4 - start).copy(bytes, start);
  return written("spoilt.mp4", bytes);
}

async function renamedCodec(): Promise<string> {
  const bytes = Buffer.from(await readFile(clips.path("whole.mp4")));
  bytes.write("xyz1", bytes.indexOf("avc1", bytes.indexOf("stsd")), "latin1");
  return written("codec.mp4", bytes);
}

async function covered(): Promise<string> {
  await writeFile(clips.path("cover.png"), await blank().png().toBuffer());
  const inputs = [...tone, "-i", "cover.png", "-map", "0", "-map", "1"];
  return clips.make(
    ...inputs,
    "-c:a",
    "aac",
    "-c:v",
    "copy",
    "-disposition:v",
    "attached_pic",
    "covered.m4a",
  );
}

describe("limits", () => {
  test("a video of exactly the pixels and seconds that are allowed is read", async () => {
    const clip = await probeClip(
      ffmpeg,
      clips.path("whole.mp4"),
      { inputPixels: 320 * 240, seconds: 24 / 25 },
      new AbortController().signal,
    );
    expect(clip.times).toHaveLength(25);
  });

  test.for(["h264.mp4", "hevc.mp4"])("what a codec pads frames with doesn't count: %s", async (name) => {
    const codec = name === "hevc.mp4" ? ["-c:v", "libx265", "-x265-params", "log-level=error"] : h264;
    const path = await clips.make(...numbered({ size: "500x500", frames: 3 }), ...codec, name);
    const limits = { inputPixels: 500 * 500, seconds: 60 };
    const { width, height } = await probeClip(ffmpeg, path, limits, new AbortController().signal);
    expect([width, height]).toEqual([500, 500]);
    expect((await refusalOf(path, { ...limits, inputPixels: 500 * 499 })).message).toContain("500 × 500");
  });

  test("a video that is longer is refused", async () => {
    const refusal = await refusalOf(clips.path("whole.mp4"), { ...LIMITS, seconds: 0.9 });
    expect(refusal.code).toBe("video_too_long");
    expect(refusal.message).toContain("0.9 seconds");
  });

  test.for(["h264.mp4", "mpeg4.avi", "vp9.webm"])("larger frames are refused: %s", async (name) => {
    const path = await clips.make(...numbered({ size: "640x480", frames: 3 }), "-pix_fmt", "yuv420p", name);
    const refusal = await refusalOf(path);
    expect(refusal.code).toBe("frame_too_large");
    expect(refusal.message).toMatch(/640 × 480.* 0\.1 megapixels/);
  });

  test("frames that only their wide pixels make too large are refused", async () => {
    const path = await clips.make(...numbered({ filters: "setsar=2" }), ...h264, "wide.mp4");
    const refusal = await refusalOf(path);
    expect(refusal.code).toBe("frame_too_large");
    expect(refusal.message).toContain("640 × 240");
  });
});
