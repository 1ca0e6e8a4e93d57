import type { Colour } from "./types.ts";

/** How strongly masks cover the picture, unless somebody wants it otherwise: 0 to 1. */
export const USUAL_OPACITY = 0.55;

/**
 * Lightness and hue in OKLCH of the prompts' colours. Each is as far as possible from all before it, also for people who can't
 * tell red from green (deuteranopia by Machado, Oliveira and Fernandes, 2009), and is seen on light and dark pictures.
 */
const PROMPTS = [
  [0.7, 250],
  [0.86, 90],
  [0.58, 25],
  [0.86, 330],
  [0.76, 155],
  [0.58, 330],
  [0.58, 275],
  [0.7, 195],
  [0.7, 60],
  [0.58, 170],
] as const;

/** How the objects of one prompt differ from its colour, so that neighbours can be distinguished: in lightness and hue. */
const INSTANCES = [
  [0, 0],
  [0.09, 16],
  [-0.1, -16],
  [-0.05, 32],
  [0.06, -32],
] as const;

/** Colours are as strong as the screen's gamut lets them be, up to this chroma. */
const MOST_CHROMA = 0.19;

/**
 * The colour of a prompt's i-th object, both counted from 0; without an object, or of the first, it is the prompt's. The same
 * everywhere and always.
 */
export function maskColour(prompt: number, instance = 0): Colour {
  const [lightness, hue] = PROMPTS[prompt % PROMPTS.length] ?? PROMPTS[0];
  const [lighter, turn] = INSTANCES[instance % INSTANCES.length] ?? INSTANCES[0];
  const rgb = inGamut(Math.min(lightness + lighter, 0.9), hue + turn);
  return { rgb, css: `rgb(${rgb.join(" ")})` };
}

/** The colour of the i-th object, from 0, where each has one of its own: those of the prompts, which are as far apart as can be. */
export const objectColour = (object: number): Colour =>
  maskColour(object % PROMPTS.length, Math.floor(object / PROMPTS.length));

/** The strongest colour of a lightness and hue that sRGB has, as bytes. */
function inGamut(lightness: number, degrees: number): Colour["rgb"] {
  for (let chroma = MOST_CHROMA; ; chroma -= 0.005) {
    const light = linear(lightness, chroma, degrees);
    if (chroma <= 0 || light.every((each) => each >= 0 && each <= 1)) {
      const [red, green, blue] = light;
      return [byte(red), byte(green), byte(blue)];
    }
  }
}

/** OKLCH to linear sRGB (B. Ottosson, "A perceptual color space for image processing", 2020). */
function linear(lightness: number, chroma: number, degrees: number): [number, number, number] {
  const a = chroma * Math.cos((degrees * Math.PI) / 180);
  const b = chroma * Math.sin((degrees * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** Linear light to a byte of sRGB (IEC 61966-2-1). */
function byte(light: number): number {
  const clipped = Math.min(Math.max(light, 0), 1);
  return Math.round(255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055));
}
