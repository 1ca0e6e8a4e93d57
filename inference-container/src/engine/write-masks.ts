import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  categoryIdOf,
  fill,
  type MaskOutput,
  nameOf,
  OUTPUTS,
  type Problem,
  problemOf,
  regionCategoryId,
  type TaskRegion,
} from "@segmentation/protocol";
import type { FormatWriter } from "../formats/format-writer.ts";
import { categoriesOfTask } from "../formats/open-formats.ts";
import { encodeMaskPng, type MaskText } from "../masks/write-mask-png.ts";
import { asShare } from "../models/arithmetic.ts";
import type { Picture, Segmentation } from "../models/model.ts";
import { type NamedMask, renderPreview } from "../preview/preview.ts";
import type { ImageTask, WrittenFile } from "../messages.ts";
import { writeOutput } from "../output-file.ts";
import type { Step } from "../steps.ts";
import { examplesOf } from "./examples.ts";
import { DrawnMasks } from "./drawn-masks.ts";

export interface Written {
  readonly files: WrittenFile[];
  readonly masks: MaskOutput[];
  /** Reports that masks were left out; null if none were. */
  readonly notice: Problem | null;
  /** Milliseconds spent rasterizing. */
  readonly post: number;
}

/** A mask to write, and its name in each output. */
interface Found extends NamedMask {
  readonly of: { readonly promptIndex: number } | { readonly regionIndex: number };
  /** Index among the task's prompts and examples, which may find several objects; absent for a region to draw. */
  readonly sought?: number;
  readonly text: MaskText;
  readonly categoryId: number;
}

/**
 * Writes the masks, numbered in order: one PNG per instance that has a pixel and is within the limit, and one per
 * region. Also writes the requested preview, and the formats, which list only masks with pixels.
 *
 * @param step is called before each mask, and while the preview is drawn
 */
export async function writeMasks(
  task: ImageTask,
  picture: Picture,
  found: Segmentation,
  formats: FormatWriter,
  step: Step,
): Promise<Written> {
  await mkdir(join(task.folder, dirname(OUTPUTS.image.masks.name)), { recursive: true });
  const files: WrittenFile[] = [];
  const masks: MaskOutput[] = [];
  let post = 0;
  const { asked, exampled } = examplesOf(task);
  const quota = new MaskQuota(task.limits.masks, task.prompts.length + exampled.length);
  const shown: NamedMask[] = [];
  const pointed = [...ofRegions(task, asked, found), ...ofExamples(task, exampled, found)];
  const all = [...ofPrompts(task, found), ...pointed.toSorted((a, b) => a.of.regionIndex - b.of.regionIndex)];
  const drawn = new DrawnMasks(
    picture,
    task.maskThreshold,
    all.map(({ mask }) => mask),
  );
  for (const one of all) {
    const { of, sought, text, categoryId, mask, score } = one;
    await step();
    const started = performance.now();
    const { runs, pixels } = drawn.take(mask);
    post += performance.now() - started;
    if (sought !== undefined && (runs.area === 0 || !quota.takes(sought))) continue;
    const maskIndex = shown.push(one) - 1;
    const file = fill(OUTPUTS.image.masks.name, { index: maskIndex });
    masks.push({ maskIndex, ...of, confidence: score, file });
    const png = encodeMaskPng(runs, text, await pixels());
    files.push(await writeOutput(task.folder, { ...OUTPUTS.image.masks, name: file }, png));
    if (runs.area > 0) await formats.add({ maskIndex, categoryId, score, runs });
  }
  if (task.generatePreview) {
    const preview = await renderPreview(picture, shown, task.maskThreshold, step);
    files.push(await writeOutput(task.folder, OUTPUTS.image.preview, preview));
  }
  files.push(...(await formats.finish()));
  return { files, masks, notice: quota.notice, post };
}

const ofPrompts = ({ prompts }: ImageTask, { instances }: Segmentation): Found[] =>
  instances.map(({ promptIndex, score, mask }) => {
    const name = prompts[promptIndex] ?? "";
    const text = { keyword: "prompt", text: name } as const;
    return {
      of: { promptIndex },
      sought: promptIndex,
      text,
      categoryId: categoryIdOf(promptIndex),
      name,
      score,
      mask,
    };
  });

interface Pointed extends Found {
  readonly of: { readonly regionIndex: number };
}

/** The name of a region's object in each output. */
function namedRegion(task: ImageTask, region: TaskRegion | undefined) {
  const { index: regionIndex = 0, label } = region ?? {};
  return {
    of: { regionIndex },
    text: { keyword: "region", text: String(regionIndex), label },
    categoryId: regionCategoryId(categoriesOfTask(task), nameOf({ label })),
    name: label ?? `region ${regionIndex}`,
  } as const;
}

const ofRegions = (
  task: ImageTask,
  asked: readonly TaskRegion[],
  { regions: drawn = [] }: Segmentation,
): Pointed[] =>
  drawn.map(({ mask, quality }, at) =>
    Object.assign(namedRegion(task, asked[at]), { score: asShare(quality), mask }),
  );

const ofExamples = (
  task: ImageTask,
  exampled: readonly (readonly TaskRegion[])[],
  { alike = [] }: Segmentation,
): Pointed[] =>
  alike.map(({ exampleIndex, score, mask }) =>
    Object.assign(namedRegion(task, exampled[exampleIndex]?.[0]), {
      sought: task.prompts.length + exampleIndex,
      score,
      mask,
    }),
  );

/** Selects the masks of a picture: every prompt gets the same share of the task's limit, and at least one mask. */
class MaskQuota {
  readonly #inAll: number;
  readonly #ofEach: number;
  readonly #kept = new Map<number, number>();
  #total = 0;
  #isExceeded = false;

  /** @param inAll the task's limit of masks */
  constructor(inAll: number, prompts: number) {
    this.#inAll = inAll;
    this.#ofEach = Math.max(1, Math.floor(inAll / prompts));
  }

  /** True if the quota takes the next mask of a prompt. A prompt's masks come by descending confidence. */
  takes(promptIndex: number): boolean {
    const kept = this.#kept.get(promptIndex) ?? 0;
    if (kept >= this.#ofEach || this.#total >= this.#inAll) {
      this.#isExceeded = true;
      return false;
    }
    this.#kept.set(promptIndex, kept + 1);
    this.#total += 1;
    return true;
  }

  /** Reports that masks were left out; null if none were. */
  get notice(): Problem | null {
    return this.#isExceeded ? problemOf("masks_limited", { limit: this.#ofEach }) : null;
  }
}
