/**
 * The fixture model with a fault for each prompt: those of `DISTORTIONS` spoil the result, "allocation" asks for an
 * array that is too large, "heap" fills the process's memory until it is ended. "late …" does so from the third call in
 * a row with the same prompts on.
 */
import type { Instance, Model } from "../../../src/models/model.ts";
import { loadModel as loadFixture } from "./fixture-model.ts";
import { Turns } from "./turns.ts";

const withGrid =
  (length: number, logit?: number) =>
  (instance: Instance): Instance => {
    const logits = new Float32Array(instance.mask.logits.length + length);
    logits.set(instance.mask.logits.subarray(0, logits.length));
    if (logit !== undefined) logits[0] = logit;
    return { ...instance, mask: { ...instance.mask, logits } };
  };

/** Results that no model may return. */
export const DISTORTIONS: Readonly<Record<string, (instance: Instance) => Instance>> = {
  "a row too few": withGrid(-32),
  "a row too many": withGrid(32),
  "a NaN logit": withGrid(0, NaN),
  "an infinite logit": withGrid(0, Infinity),
  "an empty grid": (one) => ({ ...one, mask: { width: 0, height: 0, logits: new Float32Array() } }),
  "a box of NaN": (one) => ({ ...one, box: [NaN, NaN, NaN, NaN] }),
  "a box inside out": (one) => ({ ...one, box: [one.box[2], one.box[1], one.box[0], one.box[3]] }),
  "a box outside": (one) => ({ ...one, box: [one.box[0], one.box[1], 1e6, one.box[3]] }),
  "a prompt that nobody sent": (one) => ({ ...one, promptIndex: 7 }),
  "a prompt before the first": (one) => ({ ...one, promptIndex: -1 }),
  "a NaN score": (one) => ({ ...one, score: NaN }),
  "a score above 1": (one) => ({ ...one, score: 1.5 }),
};

/** Fills the heap until V8 ends the process; bounded, in case it does not. */
function fillHeap(): void {
  const kept: string[][] = [];
  for (let i = 0; i < 4_000; i++) kept.push(Array.from({ length: 10_000 }, (_, n) => `${i} ${n}`));
  throw new Error(`The heap held ${kept.length} arrays.`);
}

function spoil(prompt: string): void {
  if (prompt === "heap") fillHeap();
  if (prompt === "allocation") throw new Error(`There were ${new ArrayBuffer(2 ** 46).byteLength} bytes.`);
}

export async function loadModel(folder: string): Promise<Model> {
  const fixture = await loadFixture(folder);
  const turns = new Turns();
  let last = "";
  let calls = 0;
  return {
    ...fixture,
    segment: async (picture, request) => {
      calls = request.prompts.join() === last ? calls + 1 : 1;
      last = request.prompts.join();
      const asked = request.prompts.map((prompt) => prompt.replace(/^late /, ""));
      const late = request.prompts.some((prompt) => prompt.startsWith("late "));
      const ripe = !late || calls >= 3;
      await turns.run(request.usage, () => Promise.resolve(asked.forEach(spoil)));
      const prompts = asked.map((prompt) => (prompt in DISTORTIONS ? "bright" : prompt));
      const found = await fixture.segment(picture, { ...request, prompts });
      const distort = DISTORTIONS[asked.find((prompt) => prompt in DISTORTIONS) ?? ""];
      if (distort === undefined || !ripe) return found;
      return { ...found, instances: found.instances.map(distort) };
    },
  };
}
