import { brushRleOf, polygonsOfRuns, runsOfRle } from "@segmentation/masks";
import type { FoundObject, FoundPicture } from "../../segment/operations/found.ts";
import type { Control } from "./interface.ts";

/** Distance in pixels by which a polygon may leave its mask's outline: with fewer points, people can move them. */
const TOLERANCE = 1.5;

/** An object as Label Studio shows it. */
interface Region {
  readonly id: string;
  readonly from_name: string;
  readonly to_name: string;
  readonly type: string;
  readonly original_width: number;
  readonly original_height: number;
  readonly image_rotation: 0;
  readonly score: number;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface Prediction {
  readonly model_version: string;
  readonly score: number;
  readonly result: readonly Region[];
}

/**
 * Returns the prediction for a task's picture: each object by the most exact control that has its label.
 * @param chosen the label of the indicated object; null for the first label of the interface
 */
export function predictionOf(
  found: FoundPicture | null,
  controls: readonly Control[],
  chosen: string | null,
  model_version: string,
): Prediction {
  const size = found?.size ?? null;
  if (found === null || size === null) return { model_version, score: 0, result: [] };
  const result = found.objects.flatMap((object) => {
    const label = "prompt" in object.by ? object.by.prompt : chosen;
    const own = controls.find(({ labels }) => label === null || labels.includes(label));
    // Another task of the job may have other labels.
    const control = own ?? ("prompt" in object.by ? undefined : controls[0]);
    const named = label ?? control?.labels[0];
    return control === undefined || named === undefined ? [] : regionsOf(object, size, control, named);
  });
  const scores = result.map(({ score }) => score);
  const score = scores.length === 0 ? 0 : scores.reduce((sum, each) => sum + each, 0) / scores.length;
  return { model_version, score, result };
}

function regionsOf(
  { index, confidence: score, shape }: FoundObject,
  { width, height }: { readonly width: number; readonly height: number },
  { name, toName: to_name, form, labelsName }: Control,
  label: string,
): Region[] {
  if (shape === null) return [];
  const common = {
    to_name,
    original_width: width,
    original_height: height,
    image_rotation: 0,
    score,
  } as const;
  const region = (part: number, value: Record<string, unknown>): Region[] => {
    const id = `${index}-${part}-${crypto.randomUUID().slice(0, 8)}`;
    const one = (from_name: string, type: string, labelled: object): Region => ({
      id,
      from_name,
      type,
      ...common,
      value: { ...value, ...labelled },
    });
    if (labelsName === name) return [one(name, `${form}labels`, { [`${form}labels`]: [label] })];
    return [one(name, form, {}), one(labelsName, "labels", { labels: [label] })];
  };
  const [across, down] = [100 / width, 100 / height];
  switch (form) {
    case "rectangle": {
      const [x, y, wide, high] = shape.box;
      return region(0, {
        x: x * across,
        y: y * down,
        width: wide * across,
        height: high * down,
        rotation: 0,
      });
    }
    case "polygon":
      return polygonsOfRuns(runsOfRle(shape.rle), TOLERANCE).flatMap(({ outline }, part) =>
        region(part, { points: pairs(outline).map(([x, y]) => [x * across, y * down]), closed: true }),
      );
    case "brush":
      return region(0, { format: "rle", rle: brushRleOf(runsOfRle(shape.rle)) });
  }
}

const pairs = (ring: readonly number[]): (readonly [number, number])[] =>
  Array.from({ length: ring.length / 2 }, (_, i) => [ring[2 * i] ?? 0, ring[2 * i + 1] ?? 0]);
