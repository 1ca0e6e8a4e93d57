/** Scenes with known motion, in a picture of 1920 × 1080; every call draws a new one. */
import type { Corners } from "@segmentation/masks";
import { type Actor, HEIGHT, type Scene, WIDTH } from "./film.ts";
import type { Random } from "./random.ts";

const MIDDLE = { x: WIDTH / 2, y: HEIGHT / 2 };

function around(x: number, y: number, width: number, height: number): Corners {
  return [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
}

function several(count: number, actor: (index: number) => Actor): Actor[] {
  return Array.from({ length: count }, (_, index) => actor(index));
}

function stillObjects(random: Random): Scene {
  const actors = several(8, (depth) => {
    const box = around(random.between(100, 1800), random.between(100, 980), 120, 150);
    return { depth, at: () => box };
  });
  return { seconds: 5, actors };
}

function pan(random: Random): Scene {
  const speed = random.between(200, 500);
  const actors = several(6, (depth) => {
    const [x, y] = [random.between(0, 3000), random.between(200, 900)];
    const [width, height] = [random.between(100, 250), random.between(100, 350)];
    return { depth, at: (t) => around(x - speed * t, y, width, height) };
  });
  return { seconds: 5, actors };
}

function zoom(random: Random): Scene {
  const inwards = random.chance(0.5);
  const actors = several(5, (depth) => {
    const [x, y] = [random.between(-400, 400), random.between(-250, 250)];
    const [width, height] = [random.between(60, 120), random.between(60, 150)];
    return {
      depth,
      at: (t) => {
        const scale = 3 ** ((inwards ? t : 4 - t) / 4);
        return around(MIDDLE.x + x * scale, MIDDLE.y + y * scale, width * scale, height * scale);
      },
    };
  });
  return { seconds: 4, actors };
}

/** Two meet in the middle; the second is `ratio` times as large, and at an angle of 0 they meet head-on. */
function crossing(random: Random, angle: number, ratio: number, merging = false): Scene {
  const [speed, otherSpeed] = [random.between(120, 300), random.between(120, 300)];
  const width = random.between(90, 180);
  const height = width * random.between(1, 2.5);
  const lower = MIDDLE.y + random.between(-0.15, 0.15) * height;
  const one: Actor = {
    depth: random.chance(0.5) ? 1 : -1,
    at: (t) => around(MIDDLE.x + speed * (t - 2.5), MIDDLE.y, width, height),
  };
  const other: Actor = {
    depth: 0,
    at: (t) => {
      const way = otherSpeed * (t - 2.5);
      const [x, y] = [MIDDLE.x - Math.cos(angle) * way, lower + Math.sin(angle) * way];
      return around(x, y, width * ratio, height * ratio);
    },
  };
  return { seconds: 5, actors: [one, other], merging };
}

/** One passes behind a pillar while another, of the same size, walks elsewhere. */
function pillar(random: Random): Scene {
  const speed = random.between(150, 350);
  const [width, height] = [random.between(80, 120), random.between(200, 300)];
  const half = (speed * random.between(0.8, 1.6)) / 2;
  const actors: Actor[] = [
    { depth: 0, at: (t) => around(MIDDLE.x + speed * (t - 3), MIDDLE.y, width, height) },
    { depth: 0, at: (t) => around(300 + 20 * t, 700, width, height) },
  ];
  return { seconds: 6, actors, screen: [MIDDLE.x - half, 0, MIDDLE.x + half, HEIGHT] };
}

/** Two turn while a pillar hides them. */
function turning(random: Random): Scene {
  const speed = random.between(150, 300);
  const [width, height] = [random.between(80, 120), random.between(200, 300)];
  const [turn, y] = [random.between(-1.5, 1.5), random.between(350, 700)];
  const half = (speed * random.between(0.5, 1)) / 2;
  const actors = several(2, (depth) => {
    const heading = depth === 0 ? 1 : -1;
    const delay = depth * random.between(-0.5, 0.5);
    return {
      depth,
      at: (t) => {
        const way = speed * (t - 3 + delay);
        const [along, aside] = way < 0 ? [1, 0] : [Math.cos(turn), heading * Math.sin(turn)];
        return around(MIDDLE.x + heading * way * along, y + 60 * depth + way * aside, width, height);
      },
    };
  });
  return { seconds: 6, actors, screen: [MIDDLE.x - half, 0, MIDDLE.x + half, HEIGHT] };
}

/** One leaves at the right edge and comes back there. */
function leavingAndReturning(random: Random): Scene {
  const speed = random.between(150, 350);
  const [width, height, y] = [random.between(120, 200), random.between(150, 350), random.between(300, 800)];
  const halfAway = random.between(0.25, 0.9);
  const actors: Actor[] = [
    {
      depth: 0,
      at: (t) => around(WIDTH + width / 2 - speed * (Math.abs(t - 3) - halfAway), y, width, height),
    },
    { depth: 0, at: () => around(500, 500, width, height) },
  ];
  return { seconds: 6, actors };
}

/** A scene in which an object moves most of its size per frame at six frames per second. */
function fast(random: Random): Scene {
  const speed = random.between(600, 1000);
  const size = random.between(120, 200);
  return {
    seconds: 2.4,
    actors: [{ depth: 0, at: (t) => around(speed * t, 500 - 150 * t, size, size) }],
  };
}

/** Three lanes in which objects of one size follow each other in and out of the picture. */
function traffic(random: Random): Scene {
  const lanes = [
    { y: 350, heading: 1 },
    { y: 500, heading: 1 },
    { y: 700, heading: -1 },
  ];
  const actors = lanes.flatMap(({ y, heading }) => {
    const speed = random.between(350, 550);
    let start = -3;
    return several(10, () => {
      const entered = start;
      start += random.between(0.9, 2.2);
      const width = random.between(160, 260);
      const at = (t: number): Corners =>
        around(MIDDLE.x + heading * (speed * (t - entered) - MIDDLE.x - 130), y, width, 120);
      return { depth: y, at };
    });
  });
  return { seconds: 8, actors };
}

/** Ten walk about: their velocities drift and calm down (Ornstein and Uhlenbeck), and they turn back at the edges. */
function walkers(random: Random): Scene {
  const step = 1 / 60;
  const wander = (from: number, least: number, most: number, speed: number): number[] => {
    let [position, velocity] = [from, speed * random.normal()];
    return Array.from({ length: 8 * 60 + 1 }, () => {
      velocity += -0.5 * velocity * step + speed * random.normal() * Math.sqrt(step);
      if (position < least) velocity = Math.abs(velocity);
      if (position > most) velocity = -Math.abs(velocity);
      position += velocity * step;
      return position;
    });
  };
  const actors = several(10, (depth) => {
    const xs = wander(random.between(100, WIDTH - 100), 60, WIDTH - 60, 130);
    const ys = wander(random.between(200, HEIGHT - 200), 120, HEIGHT - 120, 60);
    const height = random.between(150, 260);
    return {
      depth,
      at: (t) => {
        const i = Math.min(Math.round(t / step), 8 * 60);
        return around(xs[i] ?? 0, ys[i] ?? 0, 0.4 * height, height);
      },
    };
  });
  return { seconds: 8, actors };
}

export const SCENES = {
  "still objects": stillObjects,
  "a pan": pan,
  "a zoom": zoom,
  "a head-on crossing": (random: Random) => crossing(random, 0, 1),
  "a crossing at an angle": (random: Random) => crossing(random, random.between(0.3, 1.5), 1),
  "a crossing of unequal sizes": (random: Random) =>
    crossing(random, random.between(0, 1.5), random.between(1.4, 2.2)),
  "a crossing reported as one box": (random: Random) =>
    crossing(random, random.between(0, 0.6), random.between(1, 1.3), true),
  "a walk behind a pillar": pillar,
  "a turn behind a pillar": turning,
  "a leave and return": leavingAndReturning,
  "a fast object": fast,
  traffic,
  "ten walkers": walkers,
};

export type SceneName = keyof typeof SCENES;
