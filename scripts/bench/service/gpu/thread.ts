/**
 * A device's thread that takes the time of a GPU: each graph of SAM 2 takes the milliseconds in its file's name, the decoder for
 * each box. It blocks the thread, like ONNX Runtime for Node, and returns tensors of the real sizes.
 */
import { basename } from "node:path";
import { parentPort } from "node:worker_threads";
import type { Declared } from "../../../../inference-container/src/device/messages.ts";
import { serve, type Session } from "../../../../inference-container/src/device/serve.ts";
import type { Values } from "../../../../inference-container/src/device/values.ts";
import { embeddedManifest } from "./manifest.ts";

/** The side of the decoder's masks. */
const GRID = 256;
/** The masks that the decoder offers for a box. */
const CANDIDATES = 4;

const { graphs, masks } = await embeddedManifest();
const drawn = Float32Array.from({ length: masks.batch * CANDIDATES * GRID * GRID }, (_, at) =>
  logit(Math.floor(at / (GRID * GRID)), (at % GRID) / GRID, (Math.floor(at / GRID) % GRID) / GRID),
);
const gate = new Int32Array(new SharedArrayBuffer(4));

if (parentPort !== null) serve(parentPort, ({ path }) => Promise.resolve(open(basename(String(path)))));

function open(file: string): Session {
  const [, name = "", cost] = /^(encoder|decoder) ([\d.]+) ms$/.exec(file) ?? [];
  const isEncoder = name === "encoder";
  const { inputs, outputs } = isEncoder ? graphs.encoder : graphs.decoder;
  const declared = (tensors: typeof inputs): Declared[] =>
    tensors.map(({ name: tensor, dtype: type, shape }) => ({ name: tensor, type, shape }));
  const nameOf = (role: string): string =>
    [...inputs, ...outputs].find((tensor) => tensor.role === role)?.name ?? role;
  const features = Object.fromEntries(
    graphs.encoder.outputs.map(({ name: tensor, shape }) => [tensor, filled(shape.map(Number))]),
  );
  return {
    signature: { inputs: declared(inputs), outputs: declared(outputs) },
    run: (feeds) => {
      const boxes = isEncoder ? 1 : (feeds[nameOf("points")]?.dims[0] ?? 0);
      Atomics.wait(gate, 0, 0, boxes * Number(cost));
      return Promise.resolve(isEncoder ? features : masksOf(boxes, nameOf));
    },
    release: () => Promise.resolve(),
  };
}

function masksOf(boxes: number, nameOf: (role: string) => string): Record<string, Values> {
  const logits = drawn.slice(0, boxes * CANDIDATES * GRID * GRID);
  const quality = Float32Array.from(
    { length: boxes * CANDIDATES },
    (_, at) => 0.9 + 0.02 * (at % CANDIDATES),
  );
  return {
    [nameOf("masks")]: values([boxes, CANDIDATES, GRID, GRID], logits),
    [nameOf("quality")]: values([boxes, CANDIDATES], quality),
  };
}

function filled(dims: readonly number[]): Values {
  return values(dims, new Float32Array(dims.reduce((product, size) => product * size, 1)));
}

function values(dims: readonly number[], { buffer }: Float32Array<ArrayBuffer>): Values {
  return { type: "float32", dims, bytes: new Uint8Array(buffer) };
}

/** An ellipse with a wavy outline, between 2 and 20 percent of the picture, with a few holes inside and specks around it. */
function logit(mask: number, x: number, y: number): number {
  const size = 0.08 + 0.17 * ((mask * 0.618) % 1);
  const [dx, dy] = [(x - 0.3 - 0.4 * ((mask * 0.382) % 1)) / size, (y - 0.5) / size];
  const outline = 0.9 + 0.1 * Math.sin(9 * Math.atan2(dy, dx) + mask);
  const inside = outline - Math.hypot(dx, dy);
  const spots = Math.sin(40 * x + mask) * Math.sin(45 * y) - 0.97;
  if (spots <= 0 || Math.hypot(dx, dy) > 1.3) return 20 * inside;
  return inside > 0 ? -1 : 1;
}
