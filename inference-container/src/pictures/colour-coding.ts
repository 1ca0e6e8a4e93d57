/** Finds the color coding of a picture's samples, where its file states it without a profile. */
import type { FileHandle } from "node:fs/promises";
import { readAt } from "../file-reads.ts";
import { type Chromaticities, type Matrix, nearIdentity, toSrgbPrimaries } from "./primaries.ts";
import type { PngChunks } from "./png.ts";

/** Differences from sRGB. */
export interface ColourCoding {
  /** The light of a sample, both from 0 to 1; absent if the curve is sRGB's. */
  readonly curve?: (sample: number) => number;
  /** Linear light to linear light of sRGB; absent if the primaries are sRGB's. */
  readonly primaries?: Matrix | undefined;
  /** The curve is one of high dynamic range: HLG's light is the scene's. */
  readonly hdr?: "pq" | "hlg";
  /** Black is 16 and white 235 of 255. */
  readonly isNarrow?: boolean;
}

const D65 = [0.3127, 0.329] as const;
const SRGB: Chromaticities = { white: D65, red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06] };
const BT2020: Chromaticities = {
  white: D65,
  red: [0.708, 0.292],
  green: [0.17, 0.797],
  blue: [0.131, 0.046],
};
const P3: Chromaticities = { white: D65, red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06] };

const UNSPECIFIED = 2;

/** SMPTE ST 2084: 1 is 10,000 cd/m². */
function pq(sample: number): number {
  const root = sample ** (32 / 2_523);
  return (Math.max(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root)) ** (8_192 / 1_305);
}

/** ITU-R BT.2100, the inverse of HLG's curve. */
const hlg = (sample: number): number =>
  sample <= 0.5 ? sample ** 2 / 3 : (Math.exp((sample - 0.55991073) / 0.17883277) + 0.28466892) / 12;

const power =
  (exponent: number) =>
  (sample: number): number =>
    sample ** exponent;

/** Curves by ITU-T H.273. Those of standard video count as sRGB's. */
const CURVES: ReadonlyMap<number, Pick<ColourCoding, "curve" | "hdr">> = new Map<
  number,
  Pick<ColourCoding, "curve" | "hdr">
>([
  [4, { curve: power(2.2) }],
  [5, { curve: power(2.8) }],
  [8, { curve: power(1) }],
  [16, { curve: pq, hdr: "pq" }],
  [18, { curve: hlg, hdr: "hlg" }],
]);

const PRIMARIES: ReadonlyMap<number, Chromaticities> = new Map([
  [9, BT2020],
  [12, P3],
]);

/** The coding that code points mean (ITU-T H.273), undefined if it is sRGB's. HDR without primaries has those of BT.2020. */
export function codingOf(
  code: { readonly primaries: number; readonly transfer: number },
  isNarrow = false,
): ColourCoding | undefined {
  const curve = CURVES.get(code.transfer) ?? {};
  const given =
    curve.hdr !== undefined && code.primaries === UNSPECIFIED ? BT2020 : PRIMARIES.get(code.primaries);
  if (given === undefined && curve.curve === undefined && !isNarrow) return undefined;
  return { ...curve, ...(given && { primaries: toSrgbPrimaries(given, SRGB) }), isNarrow };
}

/** The tolerance within which a gamma means sRGB, as libpng has it. */
const GAMMA_TOLERANCE = 0.05;
const SRGB_GAMMA = 1 / 2.2;

/**
 * The coding of a PNG's samples by the chunk of highest precedence: cICP, iCCP, sRGB, then gAMA and cHRM.
 * `ignoresProfile`: a profile in the file does not count.
 */
export async function pngCoding(
  file: FileHandle,
  { chunks, pixelsAt }: PngChunks,
): Promise<{ readonly coding?: ColourCoding | undefined; readonly ignoresProfile?: boolean }> {
  const dataOf = async (type: string, bytes: number): Promise<Buffer | undefined> => {
    const chunk = chunks.get(type);
    const isThere = chunk !== undefined && chunk.at < pixelsAt && chunk.dataBytes === bytes;
    return isThere ? readAt(file, chunk.at + 8, bytes) : undefined;
  };
  const code = await dataOf("cICP", 4);
  const [primaries = UNSPECIFIED, transfer = UNSPECIFIED, matrix, isFull] = code ?? [];
  if (matrix === 0 && transfer !== UNSPECIFIED)
    return { coding: codingOf({ primaries, transfer }, isFull === 0), ignoresProfile: true };
  if (chunks.has("iCCP") || chunks.has("sRGB")) return {};
  const gamma = ((await dataOf("gAMA", 4))?.readUInt32BE(0) ?? 0) / 100_000;
  const isSrgb = gamma === 0 || Math.abs(gamma / SRGB_GAMMA - 1) < GAMMA_TOLERANCE;
  const points = await dataOf("cHRM", 32);
  const point = (i: number) =>
    [(points?.readUInt32BE(8 * i) ?? 0) / 100_000, (points?.readUInt32BE(8 * i + 4) ?? 0) / 100_000] as const;
  const given = points && { white: point(0), red: point(1), green: point(2), blue: point(3) };
  const toSrgb = given && toSrgbPrimaries(given, SRGB);
  const isNear = toSrgb === undefined || nearIdentity(toSrgb);
  if (isSrgb && isNear) return {};
  return { coding: { ...(!isSrgb && { curve: power(1 / gamma) }), ...(!isNear && { primaries: toSrgb }) } };
}
