/**
 * Grounding DINO without weights: a graph with the tensors of its exports and the world of the fixture SAM 3. A caller
 * that gives it more than one phrase, or padding without a mask, gets no object. A caller that counts bars as part of
 * the picture gets other boxes.
 */
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { AS_IT_IS } from "../../../src/models/confidence.ts";
import { describeFolder, FileTemplate, readTemplate } from "../../../src/models/describe-folder.ts";
import { readManifest } from "../../../src/models/folder.ts";
import { Manifest } from "../../../src/models/manifest.ts";
import { green, picture } from "../fixture-scene.ts";
import { quarters } from "../sam3/fixture-decoder.ts";
import { sigmoid } from "../sam3/fixture-folder.ts";
import { type Changes, float, int64, FixtureGraph, POSITION, SIDE as GRID } from "../sam3/fixture.ts";

const SIDE = 800;
const QUERIES = 900;
const TOKENS = 256;
/** BERT's ids of the three colors, and of the tokens that separate phrases: [CLS], [SEP], "." and "?". */
const COLOURS = [2417, 2665, 2630];
const PARTING = [101, 102, 1012, 1029];
const MEAN = [123.675, 116.28, 103.53];
const STD = [58.395, 57.12, 57.375];

interface DetectorChanges extends Changes {
  /** The number of token ids that the graph takes; any by default. */
  readonly tokens?: number;
}

/** The score of a full color, by the handicap of its quarter. */
export const scoreOf = (handicap: number): number => sigmoid(4 - handicap);

function fixtureDetector({ tokens, ...changes }: DetectorChanges = {}): Uint8Array {
  const graph = new FixtureGraph({ channels: 4, ...changes });
  const row = int64("batch", tokens ?? "tokens");
  const image = graph.taken("pixel_values", float("batch", 3, SIDE, SIDE));
  const content = graph.taken("pixel_mask", int64("batch", SIDE, SIDE));
  const ids = graph.taken("input_ids", row);
  const seen = graph.taken("attention_mask", row);
  const types = graph.taken("token_type_ids", row);
  const each = graph.reshaped(ids, [-1, 1]);
  const words = graph.cast(graph.node("Equal", [each, graph.floats([...COLOURS, 0])]), "float32");
  const parting = graph.cast(graph.node("Equal", [each, graph.floats(PARTING)]), "float32");
  const phrases = graph.node("Sub", [
    graph.node("ReduceSum", [parting], { keepdims: 0 }),
    graph.floats([3], []),
  ]);
  const found = quarters(graph, {
    fpn0: features(graph, image, content),
    position: graph.floats([POSITION]),
    words,
    seen,
    boxPrompt: graph.node("Sum", [
      graph.node("Abs", [phrases]),
      graph.node("ReduceMax", [graph.node("Abs", [types])], { keepdims: 0 }),
    ]),
    ownPadding: 0,
  });
  // One token of a phrase has the object's logit, the others have none.
  const pads = [0, 5, QUERIES - 4, TOKENS - 6];
  const logits = graph.node("Pad", [
    graph.reshaped(found.logits, [4, 1]),
    graph.int64s(pads),
    graph.floats([-Infinity], []),
  ]);
  graph.given(graph.reshaped(logits, [1, QUERIES, TOKENS]), "logits", float("batch", QUERIES, TOKENS));
  const boxes = graph.padded(centred(graph, found.boxes, content), 2, 0, QUERIES - 4);
  graph.given(graph.reshaped(boxes, [1, QUERIES, 4]), "pred_boxes", float("batch", QUERIES, 4));
  return graph.file();
}

/** The picture's colors from −1 to 1 on the grid of the fixture world; black outside the picture. */
function features(graph: FixtureGraph, image: string, content: string): string {
  const factor = graph.floats(
    STD.map((std) => std / 127.5),
    [1, 3, 1, 1],
  );
  const offset = graph.floats(
    MEAN.map((mean) => mean / 127.5),
    [1, 3, 1, 1],
  );
  const bright = graph.node("Add", [graph.node("Mul", [image, factor]), offset]);
  const inside = graph.node("Mul", [bright, graph.reshaped(content, [1, 1, SIDE, SIDE])]);
  const colours = graph.node("Sub", [inside, graph.floats([1])]);
  const small = graph.node("Resize", [colours, "", "", graph.int64s([1, 3, GRID, GRID])], { mode: "linear" });
  return graph.padded(small, 4, 1, 1);
}

/** Converts corners over the whole input to centers and sizes over the part that the picture fills. */
function centred(graph: FixtureGraph, boxes: string, content: string): string {
  const share = (axis: number): string => {
    const line = graph.node("ReduceMax", [content], { axes: [axis], keepdims: 0 });
    return graph.reshaped(graph.node("ReduceMean", [line], { keepdims: 0 }), [1]);
  };
  const [across, down] = [share(1), share(2)];
  const shares = graph.node("Concat", [across, down, across, down], { axis: 0 });
  const [half, one] = [0.5, 1];
  const matrix = graph.floats([half, 0, -one, 0, 0, half, 0, -one, half, 0, one, 0, 0, half, 0, one], [4, 4]);
  return graph.node("Div", [graph.node("MatMul", [boxes, matrix]), shares]);
}

/** The committed template. */
export async function template(): Promise<Record<string, unknown>> {
  const path = new URL("../../../models/grounding-dino-sam2/onnx-community.json", import.meta.url);
  return JSON.parse(await readFile(fileURLToPath(path), "utf8"));
}

export interface FolderChanges extends DetectorChanges {
  /** Changes of the manifest. */
  readonly manifest?: (template: Record<string, unknown>) => object;
}

/** Files of the embedded model. */
const SHARED = [
  "sam2-encoder.onnx",
  "sam2-decoder.onnx",
  "tokenizer.json",
  "LICENSE-plugin-segment-anything",
];

/**
 * Writes a complete folder: the fixture detector with the SAM 2 and the word pieces of the embedded model, `builtin`.
 * The golden picture is the drawn one: SAM 2's encoder, whose runs take seconds, needs it in the tests anyway.
 */
export async function fixtureFolder(
  folder: string,
  builtin: string,
  { manifest, ...changes }: FolderChanges = {},
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const { width, height, rgb } = picture;
  await writeFile(join(folder, "grounding-dino.onnx"), fixtureDetector(changes));
  await writeFile(
    join(folder, "golden.jpg"),
    await sharp(rgb, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  );
  await writeFile(join(folder, "LICENSE-grounding-dino"), "A licence.");
  for (const name of SHARED) await symlink(join(builtin, name), join(folder, name));
  const [x1, y1, x2, y2] = green;
  const instance = { box: green, score: scoreOf(0.5), area: ((x2 - x1) * (y2 - y1)) / (width * height) };
  const committed = await template();
  const fixture = {
    ...committed,
    detection: { ...Object(committed["detection"]), confidence: AS_IT_IS },
    golden: {
      picture: "golden.jpg",
      prompt: "green",
      threshold: 0.5,
      instances: [instance],
      tolerance: { boxIou: 0.95, score: 0.01, area: 0.01 },
    },
  };
  const whole = readTemplate({ ...fixture, ...manifest?.(fixture) });
  const own = whole.files.filter(({ name }) => !SHARED.includes(name));
  const { files, ...rest } = FileTemplate.parse(await describeFolder(folder, { ...whole, files: own }));
  // Their digests are known, and the encoder has 135 MB.
  const shared = (await readManifest(builtin, Manifest)).files.filter(({ name }) => SHARED.includes(name));
  await writeFile(join(folder, "manifest.json"), JSON.stringify({ ...rest, files: [...files, ...shared] }));
  return folder;
}
