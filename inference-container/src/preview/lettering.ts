import { createRequire } from "node:module";
import sharp from "sharp";
import { ByteCache } from "../models/byte-cache.ts";

const FONT_FILE = createRequire(import.meta.url).resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf");

/** Text as a coverage map, 0 to 255 a pixel. */
export interface Lettering {
  readonly width: number;
  readonly height: number;
  readonly coverage: Uint8Array;
}

/** What was set before: from frame to frame most labels stay, and to set one takes longer than to draw it. */
const remembered = new ByteCache<Lettering>(8 * 1_048_576, ({ coverage }) => coverage.length);

/** One line of text, `size` pixels high, set or remembered. */
export async function letter(text: string, size: number): Promise<Lettering> {
  const key = `${size} ${text}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const lettering = await set(text, size);
  remembered.set(key, lettering);
  return lettering;
}

/** Sets one line in the package's own font, so that a machine without fonts draws the same; other scripts fall back to the system's. */
async function set(text: string, size: number): Promise<Lettering> {
  const markup = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const { data, info } = await sharp({
    text: {
      text: `<span foreground="white">${markup}</span>`,
      font: `DejaVu Sans Bold ${size}`,
      fontfile: FONT_FILE,
      dpi: 72,
      rgba: true,
    },
  })
    .extractChannel("alpha")
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, coverage: data };
}

const CHARACTERS = new Intl.Segmenter("und", { granularity: "grapheme" });

/** The first characters of a text as one line. */
export function shorten(text: string, longest: number): string {
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
  const characters = Array.from(CHARACTERS.segment(line), ({ segment }) => segment);
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join("")}…`;
}
