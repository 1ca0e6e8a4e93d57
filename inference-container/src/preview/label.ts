import { createRequire } from "node:module";
import sharp from "sharp";
import type { Bounds } from "./bounds.ts";
import { type Canvas, fillRounded, paint, type Rect } from "./canvas.ts";
import { darken, type Rgb } from "./colour.ts";

const FONT_FILE = createRequire(import.meta.url).resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf");
const LONGEST_PROMPT = 32;
const WHITE: Rgb = [255, 255, 255];

/** Text as a coverage map, 0 to 255 a pixel. */
interface Lettering {
  readonly width: number;
  readonly height: number;
  readonly coverage: Uint8Array;
}

/** What to write, near what, in which colour. */
export interface Label {
  readonly prompt: string;
  readonly score: number;
  readonly colour: Rgb;
  readonly bounds: Bounds;
}

/** Draws the labels, the first ones first, each where it hides no other; one that finds no room is left out. */
export async function drawLabels(canvas: Canvas, labels: readonly Label[], size: number): Promise<void> {
  const padX = Math.round(size * 0.55);
  const padY = Math.round(size * 0.38);
  const letterings = new Map<string, Lettering>();
  const placed: Rect[] = [];
  for (const { prompt, score, colour, bounds } of labels) {
    const text = `${shorten(prompt)} ${score.toFixed(2)}`;
    const lettering = letterings.get(text) ?? (await letter(text, size));
    letterings.set(text, lettering);
    const extent = { width: lettering.width + 2 * padX, height: Math.round(size * 1.05) + 2 * padY };
    const pill = findPlace(canvas, extent, bounds, placed);
    if (pill === undefined) continue;
    placed.push(pill);
    fillRounded(canvas, pill, size * 0.4, darken(colour), 0.92);
    const top = pill.top + Math.round((pill.height - lettering.height) / 2);
    paint(canvas, lettering.coverage, { ...lettering, left: pill.left + padX, top }, WHITE);
  }
}

/** Above the object's uppermost point, else below that, further and further down; always within the canvas. */
function findPlace(
  canvas: Canvas,
  { width, height }: { width: number; height: number },
  bounds: Bounds,
  placed: readonly Rect[],
): Rect | undefined {
  if (width > canvas.width || height > canvas.height) return undefined;
  const left = Math.min(Math.max(Math.round(bounds.peak - width / 2), 0), canvas.width - width);
  const steps = [bounds.top - height - 2];
  for (let top = bounds.top + 2; top < bounds.bottom; top += height + 2) steps.push(top);
  return steps
    .map((top) => ({ left, top: Math.min(Math.max(top, 0), canvas.height - height), width, height }))
    .find((rect) => !placed.some((other) => overlap(rect, other)));
}

function overlap(a: Rect, b: Rect): boolean {
  return (
    a.left < b.left + b.width &&
    b.left < a.left + a.width &&
    a.top < b.top + b.height &&
    b.top < a.top + a.height
  );
}

const CHARACTERS = new Intl.Segmenter("und", { granularity: "grapheme" });

function shorten(prompt: string): string {
  const line = prompt.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
  const characters = Array.from(CHARACTERS.segment(line), ({ segment }) => segment);
  return characters.length <= LONGEST_PROMPT ? line : `${characters.slice(0, LONGEST_PROMPT - 1).join("")}…`;
}

/** Sets one line in the package's own font, so that a machine without fonts draws the same; other scripts fall back to the system's. */
async function letter(text: string, size: number): Promise<Lettering> {
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
