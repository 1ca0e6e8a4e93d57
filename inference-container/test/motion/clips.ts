/**
 * Videos made from the sample photographs, with exactly known motion and objects. A video may have fewer frames per
 * second: the motion is the same.
 */
import type { ClipRegion } from "@segmentation/protocol";
import { backdrop, cutOut, type Layer, photograph, turned } from "./layer.ts";
import { type Scene, truthAt } from "./scene.ts";

/** A video, and the word or the regions for its objects. */
export type Clip = { readonly scene: Scene } & (
  | { readonly prompt: string }
  | { readonly regions: readonly ClipRegion[] }
);

/** Swings gently from 0 to 1 and back within a period. */
function swing(time: number, period: number): number {
  return (1 - Math.cos((2 * Math.PI * time) / period)) / 2;
}

/** Ten seconds of 1080p: the camera swings over the cat's face, a fourth to two fifths of which is outside the picture. */
export async function pan(fps = 30): Promise<Clip> {
  const layer = await photograph("chelsea", 5, ["cat"]);
  const at: Scene["at"] = (time) => {
    const [x, y] = [335 * swing(time, 10), 420 * swing(time, 5)];
    return [{ layer, x: -Math.round(x), y: -Math.round(y), scale: 1 }];
  };
  return { prompt: "cat", scene: { width: 1920, height: 1080, fps, seconds: 10, at } };
}

/** The camera approaches a person and returns: from the whole photograph to three fifths of its width. */
export async function zoom(): Promise<Clip> {
  const layer = await photograph("astronaut", 2, ["person"]);
  const side = 720;
  const at: Scene["at"] = (time) => {
    const scale = (1 + 0.7 * swing(time, 4)) * (side / layer.width);
    // The point of the photograph that stays in place.
    const [x, y] = [0.4, 0.2];
    return [{ layer, x: x * (side - layer.width * scale), y: y * (side - layer.height * scale), scale }];
  };
  return { prompt: "person", scene: { width: side, height: side, fps: 15, seconds: 4, at } };
}

/** Two people walk past each other: when they meet, less than a fifth of the one behind is visible. */
export async function crossing(): Promise<Clip> {
  const [width, height] = [960, 540];
  const wall = await backdrop("astronaut", { left: 310, top: 20, width: 40, height: 60 }, width, height);
  const near = await cutOut("astronaut", "person", { as: "near", scale: 0.9 });
  const far = await cutOut("astronaut", "person", { as: "far", scale: 0.7, mirrored: true });
  const at: Scene["at"] = (time) => [
    { layer: wall, x: 0, y: 0, scale: 1 },
    {
      layer: far,
      x: (width - 20 - far.width) * (1 - time / 4) + (20 * time) / 4,
      y: height - far.height,
      scale: 1,
    },
    { layer: near, x: 20 + ((width - 40 - near.width) * time) / 4, y: height - near.height, scale: 1 },
  ];
  return { prompt: "person", scene: { width, height, fps: 15, seconds: 4, at } };
}

/** One cup stays; another leaves at the right edge, is away for a second, and comes back there. */
export async function leaving(): Promise<Clip> {
  const [width, height] = [960, 540];
  const table = await backdrop("coffee", { left: 490, top: 300, width: 110, height: 62 }, width, height);
  const stays = await cutOut("coffee", "cup", { as: "stays", scale: 1 });
  const leaves = await cutOut("coffee", "cup", { as: "leaves", scale: 0.9, mirrored: true });
  const at: Scene["at"] = (time) => {
    const away = 400 * swing(time, 4);
    return [
      { layer: table, x: 0, y: 0, scale: 1 },
      { layer: stays, x: 120, y: 180, scale: 1 },
      { layer: leaves, x: width - 340 + away, y: 140, scale: 1 },
    ];
  };
  return { prompt: "cup", scene: { width, height, fps: 15, seconds: 4, at } };
}

/** The box of a scene's object at a time. */
function boxOf(scene: Scene, timeSeconds: number, label: string, index = 0): ClipRegion {
  const [x, y, right, bottom] = truthAt(scene, timeSeconds).find(({ name }) => name === label)?.box ?? [
    0, 0, 1, 1,
  ];
  return { index, timeSeconds, label, box: [x, y, right - x, bottom - y] };
}

/**
 * A saucer with its cup over a table; no word names both together. It moves, turns by a third of a circle and grows by
 * a third. A board hides it for a second, and it leaves at the right edge and comes back. The region marks it at
 * `pointedAt` seconds.
 */
export async function saucer(fps: number, pointedAt: number): Promise<Clip> {
  const seconds = 6;
  const [width, height] = [640, 360];
  const table = await backdrop("coffee", { left: 490, top: 300, width: 110, height: 62 }, width, height);
  const board = await backdrop("astronaut", { left: 310, top: 20, width: 40, height: 60 }, 260, height);
  const still = await cutOut("coffee", "saucer", { as: "saucer", scale: 0.3 });
  const appearance = new Map<number, Layer>();
  for (let frame = 0; frame < fps * seconds; frame += 1)
    appearance.set(frame, await turned(still, 120 * swing(frame / fps, 12)));
  const at: Scene["at"] = (time) => {
    const layer = appearance.get(Math.round(time * fps)) ?? still;
    const scale = 1 + 0.33 * Math.min(time / 3, 1);
    const [x, y] = middle(time);
    return [
      { layer: table, x: 0, y: 0, scale: 1 },
      { layer, x: x - (layer.width * scale) / 2, y: y - (layer.height * scale) / 2, scale },
      ...(time > 1.8 && time < 2.8 ? [{ layer: board, x: 190, y: 0, scale: 1 }] : []),
    ];
  };
  const middle = (time: number): [number, number] =>
    time < 3 ? [120 + 87 * time, 150 + 27 * time] : [380 + 500 * swing(time - 3, 3), 230];
  const scene = { width, height, fps, seconds, at };
  return { scene, regions: [boxOf(scene, pointedAt, "saucer")] };
}

/** Two saucers cross each other, one in front. */
export async function saucersCross(fps: number): Promise<Clip> {
  const seconds = 4;
  const [width, height] = [640, 360];
  const table = await backdrop("coffee", { left: 490, top: 300, width: 110, height: 62 }, width, height);
  const near = await cutOut("coffee", "saucer", { as: "near", scale: 0.4 });
  const far = await cutOut("coffee", "saucer", { as: "far", scale: 0.3, mirrored: true });
  const [path, y] = [440, height / 2];
  const at: Scene["at"] = (time) => [
    { layer: table, x: 0, y: 0, scale: 1 },
    { layer: far, x: 540 - (path * time) / seconds - far.width / 2, y: y - 40 - far.height / 2, scale: 1 },
    { layer: near, x: 100 + (path * time) / seconds - near.width / 2, y: y + 30 - near.height / 2, scale: 1 },
  ];
  const scene = { width, height, fps, seconds, at };
  return { scene, regions: [boxOf(scene, 0, "near"), boxOf(scene, 0, "far", 1)] };
}

/** A saucer on a table; after `cutAt` seconds the scene is a cat. */
export async function saucerThenCat(fps: number, cutAt: number, seconds: number): Promise<Clip> {
  const [width, height] = [640, 360];
  const table = await backdrop("coffee", { left: 490, top: 300, width: 110, height: 62 }, width, height);
  const cat = await photograph("chelsea", 1.5, []);
  const still = await cutOut("coffee", "saucer", { as: "saucer", scale: 0.4 });
  const at: Scene["at"] = (time) =>
    time < cutAt
      ? [
          { layer: table, x: 0, y: 0, scale: 1 },
          { layer: still, x: 150 + 40 * time, y: 100, scale: 1 },
        ]
      : [{ layer: cat, x: 0, y: 0, scale: 1 }];
  const scene = { width, height, fps, seconds, at };
  return { scene, regions: [boxOf(scene, 0, "saucer")] };
}
