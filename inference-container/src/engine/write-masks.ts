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
  const quota = new MaskQuota(task.limits.masks, task.prompts.length);
  const shown: NamedMask[] = [];
  const all = [...ofPrompts(task, found), ...ofRegions(task, found)];
  const drawn = new DrawnMasks(
    picture,
    task.maskThreshold,
    all.map(({ mask }) => mask),
  );
  for (const one of all) {
    const { of, text, categoryId, mask, score } = one;
    await step();
    const started = performance.now();
    const { runs, pixels } = drawn.take(mask);
    post += performance.now() - started;
    if ("promptIndex" in of && (runs.area === 0 || !quota.takes(of.promptIndex))) continue;
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
    return { of: { promptIndex }, text, categoryId: categoryIdOf(promptIndex), name, score, mask };
  });

function ofRegions(task: ImageTask, { regions: drawn = [] }: Segmentation): Found[] {
  const categories = categoriesOfTask(task);
  return drawn.map(({ mask, quality }, at) => {
    const { index: regionIndex = 0, label } = task.regions?.[at] ?? {};
    return {
      of: { regionIndex },
      text: { keyword: "region", text: String(regionIndex), label },
      categoryId: regionCategoryId(categories, nameOf({ label })),
      name: label ?? `region ${regionIndex}`,
      score: asShare(quality),
      mask,
    };
  });
}

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
