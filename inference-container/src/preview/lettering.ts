import { createRequire } from "node:module";
import sharp from "sharp";
import { ByteCache } from "../models/memory/byte-cache.ts";

const FONT_FILE = createRequire(import.meta.url).resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf");

/** Text as a coverage map, 0 to 255 per pixel. */
export interface Lettering {
  readonly width: number;
  readonly height: number;
  readonly coverage: Uint8Array;
}

/** A cache of typeset labels: most stay from frame to frame, and typesetting one takes longer than drawing it. */
const remembered = new ByteCache<Lettering>(8 * 1_048_576, ({ coverage }) => coverage.length);

/** One line of text, `size` pixels high, from the cache or newly typeset. */
export async function letter(text: string, size: number): Promise<Lettering> {
  const key = `${size} ${text}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const lettering = await set(text, size);
  remembered.set(key, lettering);
  return lettering;
}

/** Sets one line in a packaged font: every machine draws the same. Other scripts fall back to the system's fonts. */
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

/** A string as one line of at most `longest` characters (graphemes). */
export function shorten(text: string, longest: number): string {
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
  const characters = Array.from(CHARACTERS.segment(line), ({ segment }) => segment);
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join("")}…`;
}
