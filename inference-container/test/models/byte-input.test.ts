import { expect, it } from "vitest";
import { withByteInput } from "../../src/models/fetch/byte-input.ts";
import { byteTensor, imageTensor } from "../../src/models/image-tensor.ts";
import type { ImageInput } from "../../src/models/manifest.ts";
import type { Picture } from "../../src/models/model.ts";
import { OnnxGraph } from "../../src/onnx/graph-writer.ts";
import { InferenceSession, type Tensor } from "../../src/onnx/runtime.ts";

const INPUT = {
  width: 6,
  height: 4,
  fit: "stretch",
  kernel: "linear",
  padding: 0,
  mean: [123.675, 116.28, 103.53],
  std: [58.395, 57.12, 57.375],
} satisfies ImageInput;

function drawn(width: number, height: number): Picture {
  const rgb = Uint8Array.from({ length: 3 * width * height }, (_, at) => (at * 37) % 256);
  return { width, height, rgb, contentHash: null };
}

/** A graph that returns its image. */
function graphOfImage(): Uint8Array {
  const graph = new OnnxGraph();
  graph.node("Identity", [graph.input("image", [1, 3, INPUT.height, INPUT.width])], {}, "seen");
  graph.output("seen", [1, 3, INPUT.height, INPUT.width]);
  return graph.file("image");
}

const numbersOf = ({ data }: Tensor): number[] =>
  Array.from({ length: data.length }, (_, at) => Number(data[at]));

const SIZES: readonly (readonly [string, number, number])[] = [
  ["of the graph's size", 6, 4],
  ["that is enlarged", 3, 3],
  ["that is shrunk", 40, 30],
];

it.each(SIZES)(
  "a graph normalizes the bytes of a picture %s as JavaScript does",
  async (_, width, height) => {
    const picture = drawn(width, height);
    const session = await InferenceSession.create(withByteInput(graphOfImage(), "image", INPUT));
    const { seen } = await session.run({ bytes: await byteTensor(picture, INPUT) });
    const { tensor } = await imageTensor(picture, INPUT);
    const [values, wanted] = [numbersOf(seen ?? expect.fail()), numbersOf(tensor)];
    expect(values).toHaveLength(wanted.length);
    for (const [at, value] of values.entries()) expect(value).toBeCloseTo(wanted[at] ?? Number.NaN, 6);
  },
);

it.each(SIZES)(
  "the tensor of a picture %s moves to another thread, and the picture stays",
  async (_, ...size) => {
    const picture = drawn(...size);
    const before = Uint8Array.from(picture.rgb);
    const { data } = await byteTensor(picture, INPUT);
    if (!(data instanceof Uint8Array && data.buffer instanceof ArrayBuffer)) expect.fail("no bytes");
    const { length } = data;
    expect(structuredClone(data, { transfer: [data.buffer] })).toHaveLength(length);
    expect(picture.rgb).toEqual(before);
  },
);

it("a graph without the image input is refused", () => {
  expect(() => withByteInput(graphOfImage(), "picture", INPUT)).toThrow('The graph has no input "picture".');
});
