/** Converts linear light between sets of primaries (SMPTE RP 177), white to white (Bradford's adaptation). */

type Point = readonly [x: number, y: number];
type Row = readonly [number, number, number];
export type Matrix = readonly [Row, Row, Row];

/** The places of white and of the primaries in CIE 1931. */
export interface Chromaticities {
  readonly white: Point;
  readonly red: Point;
  readonly green: Point;
  readonly blue: Point;
}

const BRADFORD: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];

const dot = (a: Row, b: Row): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

const apply = (matrix: Matrix, vector: Row): Row => [
  dot(matrix[0], vector),
  dot(matrix[1], vector),
  dot(matrix[2], vector),
];

const transposed = ([a, b, c]: Matrix): Matrix => [
  [a[0], b[0], c[0]],
  [a[1], b[1], c[1]],
  [a[2], b[2], c[2]],
];

const multiplied = (a: Matrix, b: Matrix): Matrix => {
  const columns = transposed(b);
  return [apply(columns, a[0]), apply(columns, a[1]), apply(columns, a[2])];
};

const cross = (a: Row, b: Row): Row => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

function inverted([a, b, c]: Matrix): Matrix {
  const scale = 1 / dot(a, cross(b, c));
  const [x, y, z] = [cross(b, c), cross(c, a), cross(a, b)];
  return scaled(transposed([x, y, z]), [scale, scale, scale]);
}

/** Each column multiplied by a number. */
const scaled = (matrix: Matrix, by: Row): Matrix => {
  const times = (row: Row): Row => [row[0] * by[0], row[1] * by[1], row[2] * by[2]];
  return [times(matrix[0]), times(matrix[1]), times(matrix[2])];
};

const xyz = ([x, y]: Point): Row => [x / y, 1, (1 - x - y) / y];

function rgbToXyz({ white, red, green, blue }: Chromaticities): Matrix {
  const columns = transposed([xyz(red), xyz(green), xyz(blue)]);
  return scaled(columns, apply(inverted(columns), xyz(white)));
}

/** From linear light in one set of primaries to that in sRGB's; undefined if the given ones span no space. */
export function toSrgbPrimaries(from: Chromaticities, srgb: Chromaticities): Matrix | undefined {
  const [given, wanted] = [apply(BRADFORD, xyz(from.white)), apply(BRADFORD, xyz(srgb.white))];
  const gains: Row = [wanted[0] / given[0], wanted[1] / given[1], wanted[2] / given[2]];
  const adaptation = multiplied(scaled(inverted(BRADFORD), gains), BRADFORD);
  const adapted = multiplied(inverted(rgbToXyz(srgb)), multiplied(adaptation, rgbToXyz(from)));
  return adapted.flat().every((value) => Number.isFinite(value)) ? adapted : undefined;
}

/** True if a conversion changes colors by less than the eye sees. */
export const nearIdentity = (matrix: Matrix): boolean =>
  matrix.every((row, y) => row.every((value, x) => Math.abs(value - (x === y ? 1 : 0)) < 0.01));
