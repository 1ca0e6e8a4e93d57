/** Processor time of a model: of a new picture, of a click on a known one, and of eight boxes; compared with other folders. */
import { basename } from "node:path";
import { ensureEmbedded } from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import { loadModel } from "../../../inference-container/src/models/load.ts";
import type { Region } from "@segmentation/masks";
import type { Model } from "../../../inference-container/src/models/model.ts";
import { formatSpread, markdownTable, spread } from "../report.ts";
import { type BenchSample, benchPicture } from "../pictures/bench-picture.ts";

/** Milliseconds of the processor. */
interface Costs {
  readonly picture: number;
  readonly click: number;
  readonly boxes: number;
}

const ROWS = [
  ["new picture, one prompt", "picture"],
  ["click on a known picture", "click"],
  ["eight boxes on a known picture", "boxes"],
] as const satisfies readonly (readonly [string, keyof Costs])[];

/**
 * Measures each folder, in one process, with the same pictures; they take turns at going first.
 * @param folders the others are compared with the first; empty for the embedded model and its faster variant
 */
export async function benchModel(
  { rounds, folders }: { readonly rounds: number; readonly folders: readonly string[] },
  signal: AbortSignal,
): Promise<string[]> {
  const measured =
    folders.length > 0 ? folders : [await ensureEmbedded("builtin"), await ensureEmbedded("builtin-fast")];
  const models: Model[] = [];
  try {
    for (const folder of measured) models.push(await loadModel(folder));
    const costs: Costs[][] = [];
    for (let round = 0; round < rounds; round += 1) {
      const sample = await benchPicture(round);
      const ofRound: Costs[] = [];
      for (const turn of models.keys()) {
        signal.throwIfAborted();
        const at = (turn + round) % models.length;
        const model = models[at];
        if (model !== undefined) ofRound[at] = await costsOf(model, sample);
      }
      costs.push(ofRound);
      console.error(`model: round ${round + 1} of ${rounds}`);
    }
    return report(measured, costs);
  } finally {
    for (const model of models) await model.close();
  }
}

async function costsOf(
  model: Model,
  { picture, prompts: [prompt], points: [point] }: BenchSample,
): Promise<Costs> {
  const { width, height } = picture;
  const eighth = (i: number): Region => {
    const [x, y] = [((i % 4) * width) / 4, (Math.floor(i / 4) * height) / 2];
    return { box: [x, y, x + width / 4, y + height / 2] };
  };
  const cost = async (prompts: readonly string[], regions: readonly Region[]): Promise<number> => {
    const before = process.cpuUsage();
    await model.segment(picture, { prompts: [...prompts], regions, threshold: 0.5, withFaint: false });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  return {
    picture: await cost([prompt], []),
    click: await cost([], [{ points: [point] }]),
    boxes: await cost(
      [],
      Array.from({ length: 8 }, (_, i) => eighth(i)),
    ),
  };
}

/** A table of milliseconds, and of each folder's ratio to the first in the same rounds. */
function report(folders: readonly string[], rounds: readonly (readonly Costs[])[]): string[] {
  const names = folders.map((folder) => basename(folder));
  const others = names.slice(1);
  const row = ([label, kind]: (typeof ROWS)[number]): string[] => {
    const of = (at: number): number[] => rounds.map((costs) => costs[at]?.[kind] ?? Number.NaN);
    const first = of(0);
    const ratios = others.map((_, i) => of(i + 1).map((ms, round) => ms / (first[round] ?? Number.NaN)));
    return [
      label,
      ...names.map((_, at) => formatSpread(spread(of(at)))),
      ...ratios.map((values) => formatSpread(spread(values), 2)),
    ];
  };
  const heading = [`processor time, ms: median [least–most] of ${rounds.length}`, ...names];
  return markdownTable([...heading, ...others.map((name) => `**${name} ÷ ${names[0]}**`)], ROWS.map(row));
}
