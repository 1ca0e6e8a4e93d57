import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TaskRequest } from "@segmentation/protocol";
import { findFfmpeg } from "../../../inference-container/src/video/ffmpeg.ts";
import { Failure } from "../../../scripts/shared/command-line.ts";
import { benchPicture, largePicture } from "../../../scripts/bench/pictures/bench-picture.ts";
import { markdownTable } from "../../../scripts/bench/report.ts";
import { FAKE } from "../../../scripts/bench/start-inference.ts";
import { makeClip } from "../../../scripts/bench/video/make-clip.ts";
import { type BenchService, withService } from "../../../scripts/bench/service/with-service.ts";
import { type MemorySample, sampleMemory, thirds } from "./soak-memory.ts";

/** Number of concurrent tasks at the service. */
const OFFERED = 6;
/** One of this many tasks is a video. */
const CLIP_EVERY = 100;
const CLIP_SECONDS = 3;
const SAMPLE_MS = 1_000;

export interface Soak {
  readonly minutes: number;
  /** The number of tasks: by kind if they succeeded, else by the failure's code. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly samples: readonly MemorySample[];
}

/** A kind of task, and the code with which it must end, or "success". */
interface Kind {
  readonly name: string;
  readonly request: (worker: BenchService["worker"]) => TaskRequest;
  readonly code: string;
}

/** Keeps the service busy with mixed work of the fake model for `minutes`, and samples its memory. */
export async function soak(minutes: number, signal: AbortSignal): Promise<Soak> {
  const mark = { SEGMENTATION_BENCH: randomUUID() };
  return await withService(FAKE, mark, signal, async (service) => {
    const kinds = await fill(service);
    const outcomes = new Map<string, number>();
    const sampling = sampleMemory(mark, SAMPLE_MS);
    const until = performance.now() + minutes * 60_000;
    let n = 0;
    const offerer = async (): Promise<void> => {
      while (performance.now() < until) {
        const outcome = await finishOne(service, kindOf(kinds, n++));
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: OFFERED }, offerer));
    return { minutes, outcomes, samples: sampling.stop() };
  });
}

interface Kinds {
  readonly clip: Kind;
  readonly pictures: readonly Kind[];
}

function kindOf({ clip, pictures }: Kinds, n: number): Kind {
  const picture = pictures[n % pictures.length];
  return n % CLIP_EVERY === CLIP_EVERY - 1 || picture === undefined ? clip : picture;
}

/** @throws Failure if a task does not end as its kind must */
async function finishOne(service: BenchService, { name, request, code }: Kind): Promise<string> {
  const completion = await service.finish(request(service.worker));
  const ended = "problem" in completion ? completion.problem.code : completion.outcome;
  if (ended !== code) throw new Failure(`A task (${name}) ended as ${ended} instead of ${code}.`);
  return ended === "success" ? name : ended;
}

/** Prepares the inputs and returns the kinds of tasks for them. */
async function fill({ worker, folder }: BenchService): Promise<Kinds> {
  const [first, second] = [await benchPicture(0), await benchPicture(1)];
  const [middle, large] = [await largePicture(3), await largePicture(12)];
  const files = [first, second, middle, large].map(({ file }) => Buffer.from(file));
  for (const [n, file] of files.entries()) worker.inputs.set(`picture-${n}`, file);
  worker.inputs.set("text", Buffer.from("This is not a picture.".repeat(1_000)));
  worker.inputs.set("empty", Buffer.alloc(0));
  worker.inputs.set("truncated", Buffer.from(middle.file.subarray(0, middle.file.length / 2)));
  const clipPath = join(folder, "clip.mp4");
  await makeClip(findFfmpeg(process.env), clipPath, CLIP_SECONDS, 6);
  worker.inputs.set("clip", await readFile(clipPath));
  const limits = { inputBytes: 50_000_000, inputPixels: 36_000_000, masks: 100 };
  const picture = (
    input: string,
    code = "success",
    generatePreview = false,
    prompts: string[] = ["20 ms"],
  ): Kind => ({
    name: generatePreview ? "picture with preview" : "picture",
    code,
    request: (side) =>
      side.request({ inputUrl: `${side.origin}/inputs/${input}`, limits, generatePreview, prompts }),
  });
  const several = ["10 ms", "5 ms", "1 ms"];
  return {
    clip: {
      name: "clip",
      code: "success",
      request: (side) =>
        side.videoRequest({
          inputUrl: `${side.origin}/inputs/clip`,
          generatePreview: true,
          prompts: ["5 ms"],
        }),
    },
    pictures: [
      picture("picture-0"),
      picture("picture-1", undefined, true),
      picture("picture-2", undefined, false, several),
      picture("text", "not_an_image"),
      picture("picture-3"),
      picture("picture-0", undefined, true, several),
      picture("truncated", "image_truncated"),
      picture("picture-2", undefined, true),
      picture("picture-1", undefined, false, several),
      picture("empty", "image_empty"),
      picture("missing", "input_not_found"),
      picture("picture-3", undefined, false, several),
      picture("picture-0", "prompt_outside_vocabulary", false, ["no cost"]),
    ],
  };
}

const mega = (bytes: number): string => (bytes / 1e6).toFixed(0);

function row(name: string, values: readonly number[]): string[] {
  const [first, middle, last] = thirds(values);
  return [name, mega(first), mega(middle), mega(last), (last / first).toFixed(2), mega(Math.max(...values))];
}

/** The soak's memory as a Markdown table, preceded by the numbers of tasks. */
export function soakReport({ minutes, outcomes, samples }: Soak): string[] {
  const total = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
  const counts = [...outcomes].map(([name, count]) => `${count} ${name}`).join(", ");
  return [
    `${total} tasks in ${minutes} min: ${counts}.`,
    "",
    ...markdownTable(
      ["resident memory, MB", "first third", "middle", "last third", "last ÷ first", "most"],
      [
        row(
          "service",
          samples.map(({ service }) => service),
        ),
        row(
          "engine",
          samples.map(({ engine }) => engine),
        ),
      ],
    ),
  ];
}
