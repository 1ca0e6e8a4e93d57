/** Compares the numbers and times of a video's frames with PyAV and with Chromium. */
import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { CLIP_KINDS, makePlain } from "../support/video/clip-kinds.ts";
import { clipFolder, type ClipFolder, ffmpeg } from "../support/video/clips.ts";
import type { Clip } from "../../src/video/clip.ts";
import { readFrames } from "../../src/video/frames.ts";
import { probeClip } from "../../src/video/probe.ts";
import { pythonPackages } from "../../../test/support/clients/peers/install.ts";
import { closeBrowser, openPage } from "../../../test/support/browser/studio.ts";

const { signal } = new AbortController();
const INSTALLING_MS = 600_000;
/** The number of a video's frames for which the test asks the browser. */
const LOOKS = 8;

let clips: ClipFolder;
let server: Server;
let base = "";
beforeAll(async () => {
  clips = await clipFolder();
  await makePlain(clips);
  server = createServer(
    (request, response) => void serve(request.url ?? "/", request.headers.range, response),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
});
afterAll(async () => {
  await closeBrowser();
  server.close();
  await clips.remove();
});

/** Serves a video of the folder, or a part of it, and an empty page. */
async function serve(url: string, range: string | undefined, response: ServerResponse): Promise<void> {
  const path = clips.path(url.slice(1));
  const size =
    url === "/"
      ? null
      : await stat(path).then(
          (file) => file.size,
          () => null,
        );
  if (size === null) return void response.setHeader("content-type", "text/html").end("<video muted></video>");
  const [, from = "0", to = ""] = /^bytes=(\d+)-(\d*)/.exec(range ?? "") ?? [];
  const [start, end] = [Number(from), to === "" ? size - 1 : Number(to)];
  response.writeHead(206, {
    "content-type": url.endsWith(".mp4") ? "video/mp4" : "video/webm",
    "accept-ranges": "bytes",
    "content-range": `bytes ${start}-${end}/${size}`,
    "content-length": end - start + 1,
  });
  createReadStream(path, { start, end }).pipe(response);
}

const probe = (path: string): Promise<Clip> =>
  probeClip(ffmpeg, path, { inputPixels: 1e6, seconds: 7_200 }, signal);

/** The times that the service gives to all frames. */
async function timesOf(path: string): Promise<number[]> {
  const clip = await probe(path);
  const times: number[] = [];
  for await (const frame of readFrames(ffmpeg, clip, [...clip.times.keys()], clip, signal)) {
    expect(frame.frameIdx).toBe(times.length);
    times.push(frame.timeSec);
  }
  return times;
}

const LIST = `
import av, sys
with av.open(sys.argv[1]) as file:
    print(*[float(frame.time) for frame in file.decode(video=0)])
`;

describe("PyAV numbers and times frames as the service does", () => {
  let python = "";
  beforeAll(async () => {
    python = `${await pythonPackages("av==18.1.0")}/python`;
  }, INSTALLING_MS);

  it.for(CLIP_KINDS)("%s", async ([, make]) => {
    const path = await make(clips);
    const { stdout } = await promisify(execFile)(python, ["-c", LIST, path]);
    const listed = stdout.trim().split(" ").map(Number);
    const times = await timesOf(path);
    expect(times).toHaveLength(listed.length);
    for (const [at, time] of times.entries()) expect(time).toBeCloseTo(listed[at] ?? -1, 4);
  });
});

/** In the page: the times of the frames that its video shows while it plays slowly. */
const PLAY = `async ([source]) => {
  const video = document.querySelector("video");
  const shown = [];
  const note = (_, { mediaTime }) => {
    shown.push(mediaTime);
    video.requestVideoFrameCallback(note);
  };
  video.requestVideoFrameCallback(note);
  const ended = new Promise((resolve) => video.addEventListener("ended", resolve, { once: true }));
  video.src = source;
  video.playbackRate = 0.25;
  await video.play();
  await ended;
  return shown;
}`;

/** In the page: the times of the frames that its video shows at these times; null if it can't play the video. */
const LOOK = `async ([source, asked]) => {
  const video = document.querySelector("video");
  let shown = NaN;
  const note = (_, { mediaTime }) => {
    shown = mediaTime;
    video.requestVideoFrameCallback(note);
  };
  video.requestVideoFrameCallback(note);
  const event = (name) => new Promise((resolve) => {
    video.addEventListener(name, () => resolve(true), { once: true });
    video.addEventListener("error", () => resolve(false), { once: true });
  });
  video.src = source;
  if (!(await event("loadeddata"))) return null;
  const found = [];
  for (const time of asked) {
    const frame = new Promise((resolve) => video.requestVideoFrameCallback(resolve));
    const seeked = event("seeked");
    video.currentTime = time;
    await seeked;
    // The browser does not show a frame again that it already shows.
    await Promise.race([frame, new Promise((resolve) => setTimeout(resolve, 500))]);
    found.push(shown);
  }
  return found;
}`;

describe("Chromium shows the frames at their times", () => {
  /** H.265 and MPEG-4 are not in the packaged browser, and frames of half a millisecond are too short for it. */
  const UNPLAYABLE = new Set([
    "MPEG-4 with frames that only repeat another",
    "a cut in an open group of pictures",
    "leading pictures that present before the first packet",
    "pairs of equal times",
  ]);
  const playable = CLIP_KINDS.filter(([title]) => !UNPLAYABLE.has(title));
  const run = async (script: string, path: string, times: readonly number[] = []): Promise<unknown> => {
    const { page } = await openPage(base);
    const source = `${base}/${path.slice(clips.path("").length)}`;
    return page.evaluate(`(${script})(${JSON.stringify([source, times])})`);
  };

  // It seeks in fragments by decoding times, and skips the last frames before a key frame.
  it.for(playable.filter(([title]) => !title.startsWith("fragments")))("sought: %s", async ([, make]) => {
    const path = await make(clips);
    const times = await timesOf(path);
    const some = times.filter((_, at) => at % Math.ceil(times.length / LOOKS) === 0);
    const asked = some.map((time) => time + 0.001);
    expect(await run(LOOK, path, asked)).toEqual(some.map((time) => expect.closeTo(time, 3)));
  });

  it.for(playable.filter(([title]) => title.startsWith("fragments")))("played: %s", async ([, make]) => {
    const path = await make(clips);
    const times = new Set((await timesOf(path)).map((time) => time.toFixed(3)));
    const shown = z.array(z.number()).parse(await run(PLAY, path));
    const different = new Set(shown.map((time) => time.toFixed(3)));
    expect([...different].filter((time) => !times.has(time))).toEqual([]);
    expect(different.size).toBeGreaterThan(times.size / 2);
  });
});
