import sharp from "sharp";
import type { Size } from "@segmentation/masks";
import type { Picture } from "../../src/models/model.ts";

/** Places in the picture: on each shape, in the ring's hole, and in the hole next to the ring. */
export const PLACES = {
  ring: { x: 95, y: 240 },
  hole: { x: 180, y: 240 },
  holeEdge: { x: 233, y: 240 },
  large: { x: 440, y: 200 },
  small: { x: 560, y: 390 },
} as const;

const RING = { x: 180, y: 240, outer: 115, inner: 55 };
const LARGE = { x: 440, y: 200, radius: 90 };
/** The small disc has 3.4 % of the large one's area. */
const SMALL = { x: 560, y: 390, radius: 16.6 };

/** A ring, and two discs of one color, over a plain ground. */
export async function ringAndDiscs(): Promise<Picture> {
  const disc = ({ x, y, radius }: typeof LARGE): string =>
    `<circle cx="${x}" cy="${y}" r="${radius}" fill="#2c4f9e"/>`;
  const middle = (RING.outer + RING.inner) / 2;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480">
    <linearGradient id="ground" x2="0" y2="1"><stop stop-color="#c9d3c2"/><stop offset="1" stop-color="#98a58f"/></linearGradient>
    <rect width="640" height="480" fill="url(#ground)"/>${disc(LARGE)}${disc(SMALL)}
    <circle cx="${RING.x}" cy="${RING.y}" r="${middle}" fill="none" stroke="#b03a2e" stroke-width="${RING.outer - RING.inner}"/></svg>`;
  const { data, info } = await sharp(Buffer.from(svg))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgb: data, contentHash: null };
}

/** The mask of a disc at the size of the picture, as logits on SAM 2's grid: of the ring without its hole, or of the large disc. */
export function filledDisc(which: "ring" | "large", { width, height }: Size) {
  const { x, y, radius } = which === "large" ? LARGE : { ...RING, radius: RING.outer };
  const side = 256;
  const logits = Float32Array.from({ length: side * side }, (_, cell) => {
    const [column, row] = [(cell % side) + 0.5, Math.floor(cell / side) + 0.5];
    return Math.hypot((column * width) / side - x, (row * height) / side - y) < radius ? 10 : -10;
  });
  return { width: side, height: side, logits };
}
