/**
 * A model with a fixed cost per frame, like a model on a faster machine: the prompt "100 ms" takes a hundred milliseconds and
 * finds two objects. It uses no processor time but blocks the device's thread, as a graph in ONNX Runtime for Node does.
 */
import { Device } from "../../../inference-container/src/device/device.ts";
import { Usage } from "../../../inference-container/src/device/usage.ts";
import type { LogitGrid } from "@segmentation/masks";
import type { Instance, Model, Picture } from "../../../inference-container/src/models/model.ts";

/** The side of a mask's grid, as in the embedded model. */
const GRID = 256;
/** Number of shapes that an object passes through from frame to frame. */
const PHASES = 8;

/** The place of an object, in fractions of the picture. */
interface Place {
  readonly x: number;
  readonly y: number;
  readonly radiusX: number;
  readonly radiusY: number;
}

const PLACES: readonly Place[] = [
  { x: 0.36, y: 0.52, radiusX: 0.26, radiusY: 0.4 },
  { x: 0.8, y: 0.4, radiusX: 0.12, radiusY: 0.18 },
];

/** The milliseconds that a prompt names ("20 ms"); null for any other. */
export function costOf(prompt: string): number | null {
  const cost = /^(\d{1,5}) ms$/.exec(prompt)?.[1];
  return cost === undefined ? null : Number(cost);
}

/** Opens the fake. */
export async function loadModel(): Promise<Model> {
  const shapes = PLACES.map((place) => Array.from({ length: PHASES }, (_, phase) => shape(place, phase)));
  const device = new Device(new URL("fake-thread.ts", import.meta.url));
  const cpu = { provider: "cpu", device: 0, cpuNodes: true, threads: 1 } as const;
  const { id: graph } = await device.load({ path: "", options: cpu });
  let frames = 0;
  return {
    id: "fake",
    version: "1.0.0",
    provider: "cpu",
    concurrency: 1,
    family: "fixture",
    segment: async (picture, { prompts, usage: whole }) => {
      const costs = prompts.map(costOf);
      const modelMs = costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
      const ms = new Uint8Array(Float32Array.of(modelMs).buffer);
      const feeds = { ms: { type: "float32", dims: [1], bytes: ms } } as const;
      await device.run({ graph, feeds, outputs: [], hold: false, followed: false }, new Usage(whole));
      const frame = frames++;
      const instances = costs.flatMap((cost, promptIndex) =>
        cost === null ? [] : PLACES.map((place, i) => found(promptIndex, place, shapes[i], picture, frame)),
      );
      const unserved = costs.flatMap((cost, promptIndex) =>
        cost === null
          ? [{ promptIndex, message: `"${prompts[promptIndex]}" does not name a cost such as "20 ms".` }]
          : [],
      );
      return { instances, unserved, modelMs, featuresCached: false };
    },
    close: () => device.close(),
  };
}

function found(
  promptIndex: number,
  { x, y, radiusX, radiusY }: Place,
  shapes: readonly LogitGrid[] = [],
  { width, height }: Picture,
  frame: number,
): Instance {
  // The score differs from frame to frame, so that labels are drawn again as for a real model.
  const score = 0.6 + 0.39 * Math.abs(Math.sin(frame * 1.7 + x));
  const mask = shapes[frame % PHASES] ?? { width: 1, height: 1, logits: Float32Array.of(1) };
  const box = [x - radiusX, y - radiusY, x + radiusX, y + radiusY] as const;
  return {
    promptIndex,
    score,
    box: [box[0] * width, box[1] * height, box[2] * width, box[3] * height],
    mask,
    faint: false,
  };
}

/** An ellipse with a wavy outline that rotates with the phase. */
function shape({ x, y, radiusX, radiusY }: Place, phase: number): LogitGrid {
  const logits = Float32Array.from({ length: GRID * GRID }, (_, at) => {
    const dx = (((at % GRID) + 0.5) / GRID - x) / radiusX;
    const dy = ((Math.floor(at / GRID) + 0.5) / GRID - y) / radiusY;
    const outline = 0.9 + 0.1 * Math.sin(9 * Math.atan2(dy, dx) + (2 * Math.PI * phase) / PHASES);
    return 20 * (outline - Math.hypot(dx, dy));
  });
  return { width: GRID, height: GRID, logits };
}
