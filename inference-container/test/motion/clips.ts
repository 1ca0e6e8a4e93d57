/**
 * Clips made from the sample photographs, with exactly known motion and so known truth about their objects. A clip may
 * have fewer frames per second: the motion is the same.
 */
import { backdrop, cutOut, photograph } from "./layer.ts";
import type { Scene } from "./scene.ts";

/** A clip, and the word for its objects. */
export interface Clip {
  readonly scene: Scene;
  readonly prompt: string;
}

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
export async function zoom(fps = 15): Promise<Clip> {
  const layer = await photograph("astronaut", 2, ["person"]);
  const side = 720;
  const at: Scene["at"] = (time) => {
    const scale = (1 + 0.7 * swing(time, 4)) * (side / layer.width);
    // The point of the photograph that stays in place.
    const [x, y] = [0.4, 0.2];
    return [{ layer, x: x * (side - layer.width * scale), y: y * (side - layer.height * scale), scale }];
  };
  return { prompt: "person", scene: { width: side, height: side, fps, seconds: 4, at } };
}

/** Two people walk past each other: when they meet, less than a fifth of the one behind is visible. */
export async function crossing(fps = 15): Promise<Clip> {
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
  return { prompt: "person", scene: { width, height, fps, seconds: 4, at } };
}

/** One cup stays; another leaves at the right edge, is away for a second, and comes back there. */
export async function leaving(fps = 15): Promise<Clip> {
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
  return { prompt: "cup", scene: { width, height, fps, seconds: 4, at } };
}
