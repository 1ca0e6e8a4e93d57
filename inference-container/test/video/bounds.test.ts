import { chmod, readFile, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readContainer } from "../../src/video/container/container.ts";
import { inputArguments } from "../../src/video/input-arguments.ts";
import { listTimes } from "../../src/video/list-times.ts";
import { probeClip } from "../../src/video/probe.ts";
import { FfmpegRun } from "../../src/video/ffmpeg-run.ts";
import { readFrames } from "../../src/video/frames.ts";
import {
  clipFolder,
  ffmpeg,
  manyReferences,
  numbered,
  REFERENCE_FRAMES,
  type ClipFolder,
} from "../support/video/clips.ts";
import { announcing } from "./announced-tracks.ts";
import { isLong } from "../support/form.ts";

const MEGABYTE = 1024;
let clips: ClipFolder;
/** The path of an FFmpeg that records each process that is started. */
let recording = "";

beforeAll(async () => {
  clips = await clipFolder();
  await clips.make(...numbered(), "-c:v", "libx264", "-pix_fmt", "yuv420p", "plain.mp4");
  recording = clips.path("recording");
  await writeFile(recording, `#!/bin/sh\necho $$ >> '${clips.path("processes")}'\nexec '${ffmpeg}' "$@"\n`);
  await chmod(recording, 0o755);
});
afterAll(() => clips.remove());

/** The most memory in KB that any FFmpeg held while it probed a file (proc(5), VmHWM), and how that ended. */
async function probed(path: string): Promise<{ most: number; outcome: unknown }> {
  await writeFile(clips.path("processes"), "");
  const state = { running: true };
  const probe = probeClip(recording, path, { inputPixels: 36e6, seconds: 7200 }, new AbortController().signal)
    .catch((error: unknown) => error)
    .finally(() => (state.running = false));
  let most = 0;
  while (state.running) {
    const ids = (await readFile(clips.path("processes"), "utf8")).split("\n").filter(Boolean);
    for (const id of ids) {
      const status = await readFile(`/proc/${id}/status`, "utf8").catch(() => "");
      most = Math.max(most, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0));
    }
    await pause(5);
  }
  return { most, outcome: await probe };
}

test.for([
  [1, 30_000_000],
  [3, 30_000_000],
  [20, 5_000_000],
] as const)(
  "a small file that announces tables of gigabytes takes no such memory: %d tracks of %d samples",
  async ([tracks, samples]) => {
    const path = clips.path(`announcing-${tracks}.mp4`);
    await writeFile(path, announcing(await readFile(clips.path("plain.mp4")), samples, tracks));
    // FFmpeg may end before the test reads its memory.
    for (let most = 0; most === 0;) {
      const seen = await probed(path);
      ({ most } = seen);
      expect(seen.outcome).toMatchObject({ code: "video_unreadable" });
      expect(most).toBeLessThan(200 * MEGABYTE);
    }
  },
);

test.runIf(isLong)(
  "a video of more frames than are listed is refused as that, and not as too long",
  async () => {
    const endless = clips.path("endless");
    await writeFile(endless, "#!/bin/sh\necho '#tb 0: 1/1000000'\nexec yes '0,1,1'\n");
    await chmod(endless, 0o755);
    const input = { path: "clip.mp4", container: "mov", inputPixels: 1e6, track: "V:0", streams: 1 } as const;
    await expect(listTimes(endless, input, 60, new AbortController().signal)).rejects.toMatchObject({
      code: "video_unreadable",
      message: expect.stringContaining("more than 2000000 frames"),
    });
  },
);

test("every FFmpeg has a hard limit of 3 GiB of memory", async () => {
  const asked = clips.path("asked");
  await writeFile(asked, "#!/bin/sh\nulimit -Hd\n", { mode: 0o755 });
  await using run = new FfmpegRun(asked, [], { signal: new AbortController().signal });
  const lines = [];
  for await (const line of run.lines()) lines.push(line);
  expect(lines).toEqual([String(3 * 1024 * MEGABYTE)]);
});

test("a video of large frames that refer to many others is refused when memory runs out, not returned in part", async () => {
  const path = await clips.make(...manyReferences("1920x1080", 16), "references.mp4");
  const little = clips.path("little");
  await writeFile(little, `#!/bin/sh\nulimit -d ${200 * MEGABYTE}\nexec '${ffmpeg}' "$@"\n`, { mode: 0o755 });
  const { signal } = new AbortController();
  const read = async (command: string): Promise<number> => {
    const clip = await probeClip(command, path, { inputPixels: 36e6, seconds: 60 }, signal);
    let frames = 0;
    const all = [...clip.times.keys()];
    for await (const frame of readFrames(command, clip, all, { width: 64, height: 36 }, signal))
      frames = frame.sampleIdx + 1;
    return frames;
  };
  expect(await read(ffmpeg)).toBe(REFERENCE_FRAMES);
  await expect(read(little)).rejects.toMatchObject({
    code: "video_unreadable",
    message: expect.stringContaining("takes more memory"),
  });
});

test("a decoder has four threads, however many processors there are", () => {
  const input = { path: "clip.mp4", container: "mov", inputPixels: 1e6, track: "V:0", streams: 1 } as const;
  const args = inputArguments(input);
  expect(args.slice(args.indexOf("-threads"), args.indexOf("-i")).slice(0, 2)).toEqual(["-threads", "4"]);
});

describe.each([
  ["boxes.mp4", "", "\0\0\0\x08free"],
  ["chunks.avi", "RIFF\x04\0\0\0AVI ", "RIFF\0\0\0\0"],
])("a file's outermost elements: %s", (name, first, element) => {
  const made = async (elements: number): Promise<string> => {
    await writeFile(clips.path(name), first + element.repeat(elements), "latin1");
    return clips.path(name);
  };

  test("too many of them are refused", async () => {
    const reading = readContainer(await made(100_001), new AbortController().signal);
    await expect(reading).rejects.toMatchObject({
      code: "video_unreadable",
      message: expect.stringContaining("too many parts"),
    });
  });

  test("an abort ends their reading", async () => {
    const abort = new AbortController();
    const reading = readContainer(await made(90_000), abort.signal);
    abort.abort(new Error("dropped"));
    await expect(reading).rejects.toThrow("dropped");
  });
});

test("a fragmented film of two hours in parts of half a second has not too many boxes", async () => {
  const head = await readFile(clips.path("plain.mp4"));
  await writeFile(clips.path("parts.mp4"), Buffer.concat([head, Buffer.alloc(8 * 30_000, "\0\0\0\x08free")]));
  expect(await readContainer(clips.path("parts.mp4"), new AbortController().signal)).toBe("mov");
});
