/** Converts samples of another color coding to bytes of sRGB. */
import { setImmediate as turn } from "node:timers/promises";
import type { ColourCoding } from "./colour-coding.ts";
import type { Matrix } from "./primaries.ts";

/** ITU-R BT.2408, section 2.2: the luminance of white paper, in cd/m². It is 1 in our light. */
const REFERENCE_WHITE = 203;

/** In cd/m²: the peak of most HDR, and of the display for which HLG is defined. Brighter is white. */
const BRIGHTEST = 1_000;

/** Light below this does not change; brighter light is compressed. */
const UNCHANGED = 0.3;

/** ITU-R BT.2100: the luminance of light in BT.2020's primaries, and the exponent of a display of 1,000 cd/m². */
const LUMINANCE = [0.2627, 0.678, 0.0593] as const;
const SYSTEM_GAMMA = 1.2;

/** Pixels between two turns of other work. */
const PIXELS_AT_ONCE = 262_144;

/** The resolution of the table of light: sRGB's steepest byte takes 20 of these. */
const LEVELS = 65_535;

const srgbLight = (sample: number): number =>
  sample <= 0.04045 ? sample / 12.92 : ((sample + 0.055) / 1.055) ** 2.4;

/** The byte of sRGB for each level of light. */
function srgbBytes(): Uint8Array {
  return Uint8Array.from({ length: LEVELS + 1 }, (_, level) => {
    const light = level / LEVELS;
    return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
  });
}

/** The light of each sample. */
function lights({ curve = srgbLight, hdr, isNarrow }: ColourCoding, most: number): Float32Array {
  const scale = hdr === "pq" ? 10_000 / REFERENCE_WHITE : 1;
  return Float32Array.from({ length: most + 1 }, (_, value) => {
    const sample = isNarrow ? ((value / most) * 255 - 16) / 219 : value / most;
    return scale * curve(Math.min(Math.max(sample, 0), 1));
  });
}

/** Compresses light so that `brightest` becomes 1: the curve of the tone mapping of videos. */
function compressed(light: number, brightest: number): number {
  if (light <= UNCHANGED || brightest <= 1) return light;
  const u = UNCHANGED;
  const a = (-u * u * (brightest - 1)) / (u * u - 2 * u + brightest);
  const b = (u * u - 2 * u * brightest + brightest) / (brightest - 1);
  return (((b + u) ** 2 / (b - a)) * (light + a)) / (light + b);
}

/**
 * Converts pixels of three samples to three bytes of sRGB. Compresses HDR as in videos, but only as far as the picture
 * is bright: white paper stays white in a picture without anything brighter.
 * @param most the sample of white
 */
export async function toSrgb(
  samples: Uint8Array | Uint16Array,
  most: number,
  coding: ColourCoding,
): Promise<Uint8Array> {
  const light = lights(coding, most);
  const bytes = srgbBytes();
  const rgb = new Uint8Array(samples.length);
  const pixel = new Float32Array(3);
  const read = (at: number): number => {
    for (let channel = 0; channel < 3; channel++)
      pixel[channel] = light[Math.min(samples[at + channel] ?? 0, most)] ?? 0;
    if (coding.hdr === "hlg") display(pixel);
    if (coding.primaries !== undefined) convert(pixel, coding.primaries);
    return Math.max(pixel[0] ?? 0, pixel[1] ?? 0, pixel[2] ?? 0);
  };
  let brightest = 1;
  if (coding.hdr !== undefined) {
    for (let at = 0; at < samples.length; at += 3) {
      brightest = Math.max(brightest, read(at));
      if (at % (3 * PIXELS_AT_ONCE) === 0) await turn();
    }
    brightest = Math.min(brightest, BRIGHTEST / REFERENCE_WHITE);
  }
  for (let at = 0; at < samples.length; at += 3) {
    const strongest = read(at);
    const factor = strongest > UNCHANGED && brightest > 1 ? compressed(strongest, brightest) / strongest : 1;
    for (let channel = 0; channel < 3; channel++) {
      const level = Math.round(LEVELS * factor * (pixel[channel] ?? 0));
      rgb[at + channel] = bytes[Math.min(Math.max(level, 0), LEVELS)] ?? 0;
    }
    if (at % (3 * PIXELS_AT_ONCE) === 0) await turn();
  }
  return rgb;
}

/** HLG's light of the scene as that of the display. */
function display(pixel: Float32Array): void {
  const luminance =
    LUMINANCE[0] * (pixel[0] ?? 0) + LUMINANCE[1] * (pixel[1] ?? 0) + LUMINANCE[2] * (pixel[2] ?? 0);
  const scale = (BRIGHTEST / REFERENCE_WHITE) * luminance ** (SYSTEM_GAMMA - 1);
  for (let channel = 0; channel < 3; channel++) pixel[channel] = scale * (pixel[channel] ?? 0);
}

function convert(pixel: Float32Array, matrix: Matrix): void {
  const [r = 0, g = 0, b = 0] = pixel;
  for (const [channel, row] of matrix.entries()) pixel[channel] = row[0] * r + row[1] * g + row[2] * b;
}
