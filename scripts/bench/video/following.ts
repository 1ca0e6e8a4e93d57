/** Compares the cost of prompts and tracking in a video: the same frames by words, by one box, and by ten boxes. */
import type { Box } from "@segmentation/masks";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { VideoTask } from "../../../inference-container/src/messages.ts";
import { ensureBuiltin } from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import { loadModel } from "../../../inference-container/src/models/load.ts";
import { runVideo } from "../../../inference-container/src/engine/run-video.ts";
import { type Row, spreadTable } from "../report.ts";
import { CLIP_PROMPT, makeClip } from "./make-clip.ts";

const CLIP_FPS = 30;
/** The default rate at which frames are processed: at a lower rate the model would lose more objects and search them again. */
const SAMPLED_FPS = 6;

/** Number of frames that warm the model up and don't count. */
const WARM_UP_FRAMES = 1;

/** Milliseconds of the engine for the same frames. */
export interface FollowingRound {
  readonly words: number;
  readonly one: number;
  readonly ten: number;
}

/** Ten boxes that divide the video's first frame. Their content moves, and some of it leaves the picture. */
const BOXES = Array.from({ length: 10 }, (_, i): Box => [384 * (i % 5), 540 * Math.floor(i / 5), 384, 540]);

const CAT: Box = [400, 100, 1_100, 900];

const ASKED: Readonly<Record<keyof FollowingRound, Pick<VideoTask, "prompts" | "regions">>> = {
  words: { prompts: [CLIP_PROMPT] },
  one: { prompts: [], regions: [{ index: 0, timeSeconds: 0, box: CAT }] },
  ten: { prompts: [], regions: BOXES.map((box, index) => ({ index, timeSeconds: 0, box })) },
};

/** Measures the embedded model's engine on a video; the three take turns at going first. */
export async function measureFollowing(
  ffmpeg: string,
  { frames, rounds }: { readonly frames: number; readonly rounds: number },
  signal: AbortSignal,
): Promise<FollowingRound[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-following-"));
  const model = await loadModel(await ensureBuiltin());
  try {
    const inputPath = join(folder, "clip.mp4");
    await makeClip(ffmpeg, inputPath, Math.ceil(frames / SAMPLED_FPS), CLIP_FPS);
    const measure = async (kind: keyof FollowingRound, maxFrames: number): Promise<number> => {
      signal.throwIfAborted();
      const since = performance.now();
      const task: VideoTask = {
        type: "video",
        // Separate keys, so that no round uses the caches of another.
        key: `bench ${since}`,
        lane: "bulk",
        inputPath,
        folder,
        generatePreview: false,
        limits: { inputBytes: 2_000_000_000, inputPixels: 36_000_000, seconds: 7_200, frames: 3_600 },
        scoreThreshold: 0.5,
        sampling: { fps: SAMPLED_FPS, numFrames: null, maxFrames },
        ...ASKED[kind],
      };
      await runVideo(model, ffmpeg, task, { at: () => undefined, progress: () => undefined, signal });
      return performance.now() - since;
    };
    const kinds = ["words", "one", "ten"] as const;
    for (const kind of kinds) await measure(kind, WARM_UP_FRAMES);
    const measured: FollowingRound[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const times = { words: 0, one: 0, ten: 0 };
      for (const at of kinds.keys()) {
        const kind = kinds[(at + round) % kinds.length] ?? "words";
        times[kind] = await measure(kind, frames);
      }
      measured.push(times);
      console.error(`following: round ${round + 1} of ${rounds}`);
    }
    return measured;
  } finally {
    await model.close();
    await rm(folder, { recursive: true });
  }
}

const ROWS: readonly Row<FollowingRound>[] = [
  ["by words, s", ({ words }) => words / 1_000, 2],
  ["by one box, s", ({ one }) => one / 1_000, 2],
  ["by ten boxes, s", ({ ten }) => ten / 1_000, 2],
  ["**one box ÷ words**", ({ words, one }) => one / words, 2],
  ["**ten boxes ÷ one**", ({ one, ten }) => ten / one, 2],
];

/** The rounds as a Markdown table. */
export function followingReport(runs: readonly FollowingRound[]): string[] {
  return spreadTable(ROWS, [{ heading: "embedded model", runs }]);
}
