/** The model of the fake server: it finds rectangles of the color that a prompt names. */
import type { Fake, FakeTensor } from "./fake-answer.ts";
import type { Seen } from "./fake-request.ts";

export const GRID = 288;

const COLOURS: Readonly<Record<string, readonly [boolean, boolean, boolean]>> = {
  red: [true, false, false],
  green: [false, true, false],
  blue: [false, false, true],
  white: [true, true, true],
};

/** A found object, in pixels of the picture that came. */
export interface FakeObject {
  readonly promptIndex: number;
  readonly score: number;
  readonly box: readonly [number, number, number, number];
}

/** Of each prompt's color the rectangles, the first with a score of 0.9, each further one with 0.2 less; and each region's box. */
export function find(seen: Seen): Fake {
  const objects = seen.prompts.flatMap((prompt, promptIndex) => {
    const boxes = rectangles(seen, COLOURS[prompt]);
    return boxes.map((box, i) => ({ promptIndex, score: 0.9 - 0.2 * i, box }));
  });
  return {
    tensors: tensorsOf([...objects.filter(({ score }) => score >= seen.threshold), ...drawn(seen)], seen),
  };
}

/** Regions as objects after those of the prompts: a box is the object's box, a point becomes a square around it. */
function drawn({ clicks = [], prompts }: Seen): FakeObject[] {
  const byRegion = Map.groupBy(clicks, ([region]) => region ?? 0);
  return [...byRegion].map(([region, [first = [], last = first]]) => {
    const [[, x1 = 0, y1 = 0, label], [, x2 = 0, y2 = 0]] = [first, last];
    const box = label === 2 ? ([x1, y1, x2, y2] as const) : ([x1 - 4, y1 - 4, x1 + 4, y1 + 4] as const);
    return { promptIndex: prompts.length + region, score: 0.8, box };
  });
}

/** The tensors of an answer with these objects, whose masks fill their boxes. */
export function tensorsOf(
  objects: readonly FakeObject[],
  picture: Pick<Seen, "width" | "height">,
): FakeTensor[] {
  const count = objects.length;
  const masks = new Float32Array(count * GRID * GRID);
  for (const [i, { box }] of objects.entries()) masks.set(maskOf(box, picture), i * GRID * GRID);
  return [
    { name: "boxes", datatype: "FP32", shape: [count, 4], values: objects.flatMap(({ box }) => [...box]) },
    { name: "scores", datatype: "FP32", shape: [count], values: objects.map(({ score }) => score) },
    {
      name: "prompt_index",
      datatype: "INT32",
      shape: [count],
      values: objects.map(({ promptIndex }) => promptIndex),
    },
    { name: "masks", datatype: "FP16", shape: [count, GRID, GRID], values: masks },
  ];
}

/** Logits that cross zero at the box's sides. */
function maskOf([x1, y1, x2, y2]: FakeObject["box"], { width, height }: Pick<Seen, "width" | "height">) {
  return Float32Array.from({ length: GRID * GRID }, (_, i) => {
    const [x, y] = [(((i % GRID) + 0.5) / GRID) * width, ((Math.floor(i / GRID) + 0.5) / GRID) * height];
    return 4 * Math.min((x - x1) / width, (x2 - x) / width, (y - y1) / height, (y2 - y) / height) * GRID;
  });
}

/** The rectangles of a color, from the top: each pixel of the color outside all earlier ones begins one. */
function rectangles(
  { width, height, rgb }: Seen,
  colour: readonly boolean[] | undefined,
): FakeObject["box"][] {
  const found: FakeObject["box"][] = [];
  const has = (x: number, y: number): boolean =>
    colour?.every((bright, channel) => (rgb[3 * (y * width + x) + channel] ?? 0) > 127 === bright) ?? false;
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const known = found.find(([x1, y1, x2, y2]) => x >= x1 && x < x2 && y >= y1 && y < y2);
      if (known !== undefined) x = known[2] - 1;
      else if (has(x, y)) {
        let [x2, y2] = [x, y];
        while (x2 < width && has(x2, y)) x2 += 1;
        while (y2 < height && has(x, y2)) y2 += 1;
        found.push([x, y, x2, y2]);
      }
    }
  return found;
}
