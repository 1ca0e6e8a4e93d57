/** Model folders of the family `sam3` on disk, made from a committed template and fixture graphs. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { describeFolder, readTemplate } from "../../../src/models/describe-folder.ts";
import type { Picture } from "../../../src/models/model.ts";
import { clipTokenizerJson } from "./clip-vocabulary.ts";
import type { Changes } from "./fixture.ts";
import { fixtureGraphs } from "./fixture-graphs.ts";

/** [x1, y1, x2, y2) in pixels. */
export type Rectangle = readonly [number, number, number, number];
type Colour = readonly [number, number, number];

export const [RED, GREEN, BLUE, WHITE]: Colour[] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 255],
];

/** A black picture with rectangles. */
export function scene(
  [width, height]: readonly [number, number],
  objects: readonly (readonly [Colour | undefined, Rectangle])[],
): Picture {
  const rgb = new Uint8Array(3 * width * height);
  for (const [colour, [x1, y1, x2, y2]] of objects)
    for (let y = y1; y < y2; y += 1)
      for (let x = x1; x < x2; x += 1) rgb.set(colour ?? [], 3 * (y * width + x));
  return { width, height, rgb, contentHash: null };
}

/** The score of an object of a full color, by its quarter, from the fixture decoders' logits. */
export function quarterScore(handicap: number): number {
  return sigmoid(4 - handicap) * sigmoid(3);
}

export function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

/** A committed template. */
export async function template(): Promise<Record<string, unknown>> {
  const path = fileURLToPath(new URL("../../../models/sam3/usls.json", import.meta.url));
  return JSON.parse(await readFile(path, "utf8"));
}

export interface FolderChanges extends Changes {
  /** Other files, or additional ones. */
  readonly files?: Readonly<Record<string, Uint8Array | string>>;
  /** Changes of the manifest. */
  readonly manifest?: (template: Record<string, unknown>) => object;
}

/** Writes a complete folder whose golden picture has one white object; its graphs have few channels and queries by default. */
export async function fixtureFolder(
  folder: string,
  { channels = 8, queries = 8, ...changes }: FolderChanges = {},
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const golden = scene([320, 240], [[WHITE, [200, 160, 300, 220]]]);
  const raw = { width: golden.width, height: golden.height, channels: 3 } as const;
  const files = {
    ...fixtureGraphs({ ...changes, channels, queries }),
    "tokenizer.json": JSON.stringify(clipTokenizerJson()),
    "golden.jpg": await sharp(golden.rgb, { raw }).png().toBuffer(),
    LICENSE: "A licence.",
    ...changes.files,
  };
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  const instance = { box: [200, 160, 300, 220], score: quarterScore(0), area: 6000 / 76_800 };
  const committed = await template();
  const graphs = JSON.stringify(committed["graphs"]).replaceAll(/\b256\b/g, `${channels}`);
  const fixture = {
    ...committed,
    graphs: JSON.parse(graphs.replaceAll(/\b200\b/g, `${queries}`)),
    golden: {
      picture: "golden.jpg",
      prompt: "red",
      threshold: 0.5,
      instances: [instance],
      tolerance: { boxIou: 0.95, score: 0.01, area: 0.005 },
    },
  };
  const manifest = await describeFolder(folder, readTemplate({ ...fixture, ...changes.manifest?.(fixture) }));
  await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
  return folder;
}
