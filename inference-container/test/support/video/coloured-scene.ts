/**
 * Videos of colored discs over a plain ground, and a model that sees only colors: tests know its results to the cell,
 * and need no weights.
 */
import { execFileSync } from "node:child_process";
import { cleanMask, type LogitGrid, type Region } from "@segmentation/masks";
import { coverage } from "../../../src/models/sam2/appearance.ts";
import type {
  CellAppearance,
  DrawnRegion,
  Followable,
  KnownCells,
  Model,
  OpenPicture,
  Picture,
  PictureAppearance,
} from "../../../src/models/model.ts";
import { findFfmpeg } from "../../../src/video/ffmpeg.ts";
import { plainVotes } from "./plain-votes.ts";

export const SIZE = { width: 256, height: 192 } as const;
export const RATE = 6;

const COLOURS = {
  grey: [90, 90, 90],
  sand: [220, 210, 150],
  red: [220, 30, 30],
  green: [30, 190, 40],
  blue: [40, 50, 220],
} as const;
type Colour = keyof typeof COLOURS;
const NAMES = ["grey", "sand", "red", "green", "blue"] as const satisfies readonly Colour[];

/** A disc; discs that come later lie in front. */
export interface Disc {
  readonly colour: Colour;
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** Content of a frame by its number: discs over a ground. */
export type Film = (frame: number) => { readonly ground: Colour; readonly discs: readonly Disc[] };

/** The film as an MP4 file of `RATE` frames per second. */
export function filmed(film: Film, frames: number): Buffer {
  const raw = Array.from({ length: frames }, (_, frame) => painted(film(frame)));
  const from = `-f rawvideo -pix_fmt rgb24 -s ${SIZE.width}x${SIZE.height} -r ${RATE} -i pipe:0`;
  const to =
    "-c:v libx264 -preset ultrafast -crf 10 -pix_fmt yuv444p -g 6 -movflags frag_keyframe+empty_moov -f mp4 pipe:1";
  return execFileSync(findFfmpeg(process.env), `-v error ${from} ${to}`.split(" "), {
    input: Buffer.concat(raw),
    maxBuffer: 64 * 1_048_576,
  });
}

/** A frame of a film: three bytes per pixel. */
export function painted({ ground, discs }: ReturnType<Film>): Buffer {
  const rgb = Buffer.alloc(3 * SIZE.width * SIZE.height);
  for (let y = 0; y < SIZE.height; y += 1)
    for (let x = 0; x < SIZE.width; x += 1)
      rgb.set(COLOURS[colourAt(ground, discs, x, y)], 3 * (y * SIZE.width + x));
  return rgb;
}

function colourAt(ground: Colour, discs: readonly Disc[], x: number, y: number): Colour {
  return (
    discs.findLast((disc) => Math.hypot(x + 0.5 - disc.x, y + 0.5 - disc.y) < disc.radius)?.colour ?? ground
  );
}

/** The visible pixels of a film's disc, one byte each. */
export function visible(film: Film, frame: number, disc: number): Uint8Array {
  const { discs } = film(frame);
  return Uint8Array.from({ length: SIZE.width * SIZE.height }, (_, at) => {
    const [x, y] = [at % SIZE.width, Math.floor(at / SIZE.width)];
    const top = discs.findLastIndex((one) => Math.hypot(x + 0.5 - one.x, y + 0.5 - one.y) < one.radius);
    return top === disc ? 1 : 0;
  });
}

/** Cells of the appearance, and of the masks' grid, by a side. */
const CELLS = 32;
const GRID = 64;

/** The number of computed features of frames, and the requests for them. */
export interface Counted {
  encoded: number;
}

/** A model that finds red things by the prompt "red", and follows things of one color. */
export function colourModel(counted: Counted = { encoded: 0 }, followsRegions = true): Model {
  return {
    id: "colours",
    version: "1.0.0",
    provider: "cpu",
    concurrency: 1,
    family: "colours",
    drawsRegions: true,
    followsRegions,
    segment: (picture, { prompts, keepOpen = false }) => {
      const open = new ColouredPicture(picture, counted);
      const found = prompts.length === 0 ? [] : open.found("red");
      return Promise.resolve({
        instances: found.map((mask) => ({
          promptIndex: 0,
          score: 0.9,
          box: open.boundsOf(mask),
          mask,
          faint: false,
        })),
        unserved: [],
        modelMs: 1,
        featuresCached: false,
        ...(keepOpen && { open }),
      });
    },
    close: () => Promise.resolve(),
  };
}

class ColouredPicture implements OpenPicture, Followable {
  readonly #picture: Picture;
  readonly #counted: Counted;
  #grid: readonly number[] | undefined;

  constructor(picture: Picture, counted: Counted) {
    this.#picture = picture;
    this.#counted = counted;
  }

  get following(): Followable {
    return this;
  }

  draw(regions: readonly Region[]): Promise<DrawnRegion[]> {
    return Promise.resolve(regions.map((region) => this.#drawn(region)));
  }

  offers(regions: readonly Region[]): Promise<DrawnRegion[][]> {
    return Promise.resolve(regions.map((region) => [this.#drawn(region)]));
  }

  cleaned(mask: LogitGrid): LogitGrid {
    return mask;
  }

  votes(cells: CellAppearance, known: KnownCells): Promise<Float32Array> {
    return Promise.resolve(plainVotes(cells, known));
  }

  appearance(): Promise<PictureAppearance> {
    const appearance = new Float32Array(CELLS * CELLS * NAMES.length);
    for (const colour of NAMES.keys()) {
      const shares = coverage(
        this.#maskWhere((other) => other === colour),
        CELLS,
        CELLS,
      );
      for (const [cell, share] of shares.entries()) appearance[cell * NAMES.length + colour] = share;
    }
    for (let at = 0; at < appearance.length; at += NAMES.length) {
      const length = Math.hypot(...appearance.subarray(at, at + NAMES.length));
      for (let i = at; i < at + NAMES.length; i += 1) appearance[i] = (appearance[i] ?? 0) / length;
    }
    return Promise.resolve({ channels: NAMES.length, width: CELLS, height: CELLS, appearance });
  }

  /** One mask for each connected part of a color. */
  found(colour: Colour): LogitGrid[] {
    const wanted = NAMES.indexOf(colour);
    const left = new Set(this.#colours().flatMap((one, cell) => (one === wanted ? [cell] : [])));
    const masks: LogitGrid[] = [];
    for (const cell of left) {
      const part = this.#connected([cell]);
      for (const other of part) left.delete(other);
      masks.push(maskOf(part));
    }
    return masks;
  }

  boundsOf({ logits }: LogitGrid): readonly [number, number, number, number] {
    const cells = [...logits.keys()].filter((cell) => (logits[cell] ?? 0) > 0);
    const [xs, ys] = [cells.map((cell) => cell % GRID), cells.map((cell) => Math.floor(cell / GRID))];
    const [x, y] = [this.#picture.width / GRID, this.#picture.height / GRID];
    return [Math.min(...xs) * x, Math.min(...ys) * y, (Math.max(...xs) + 1) * x, (Math.max(...ys) + 1) * y];
  }

  [Symbol.dispose](): void {}

  /**
   * The cells that are connected to the region's points, or those in its box that are no ground. Points alone change a
   * prior, by the cells that are connected to them.
   */
  #drawn({ box, points = [], prior }: Region): DrawnRegion {
    const [x, y] = [this.#picture.width / GRID, this.#picture.height / GRID];
    const colours = this.#colours();
    const cellsAt = (wanted: 0 | 1) =>
      points
        .filter(({ label }) => label === wanted)
        .map((point) => Math.floor(point.y / y) * GRID + Math.floor(point.x / x));
    const seeds = cellsAt(1);
    if (prior !== undefined && box === undefined) {
      const outside = new Set(this.#connected(cellsAt(0)));
      const set = [...colours.keys()].filter((cell) => (prior.logits[cell] ?? 0) > 0);
      const inside = [...set, ...this.#connected(seeds)].filter((cell) => !outside.has(cell));
      // SAM 2 rates a mask in parts low.
      return { mask: maskOf(inside), quality: 0.1 };
    }
    if (seeds.length === 0 && box !== undefined)
      for (const cell of colours.keys()) {
        const [cx, cy] = [((cell % GRID) + 0.5) * x, (Math.floor(cell / GRID) + 0.5) * y];
        if (cx > box[0] && cy > box[1] && cx < box[2] && cy < box[3] && (colours[cell] ?? 0) > 1)
          seeds.push(cell);
      }
    // Things on a thing are parts of it.
    const mask = cleanMask(maskOf(this.#connected(seeds)), { islandShare: 0, holeShare: 1 });
    return { mask, quality: seeds.length === 0 ? 0.1 : 0.95 };
  }

  #connected(seeds: readonly number[]): number[] {
    const colours = this.#colours();
    const part = new Set(seeds);
    for (const cell of part)
      for (const other of [cell - 1, cell + 1, cell - GRID, cell + GRID])
        if (colours[other] === colours[cell] && Math.abs((other % GRID) - (cell % GRID)) <= 1)
          part.add(other);
    return [...part];
  }

  #maskWhere(isWanted: (colour: number) => boolean): LogitGrid {
    return maskOf(this.#colours().flatMap((colour, cell) => (isWanted(colour) ? [cell] : [])));
  }

  /** Of each cell of the masks' grid, the color that is nearest to its middle's. */
  #colours(): readonly number[] {
    if (this.#grid !== undefined) return this.#grid;
    this.#counted.encoded += 1;
    const { width, height, rgb } = this.#picture;
    this.#grid = Array.from({ length: GRID * GRID }, (_, cell) => {
      const x = Math.floor((((cell % GRID) + 0.5) * width) / GRID);
      const y = Math.floor(((Math.floor(cell / GRID) + 0.5) * height) / GRID);
      const pixel = [...rgb.subarray(3 * (y * width + x), 3 * (y * width + x) + 3)];
      const distances = NAMES.map((name) =>
        Math.hypot(...COLOURS[name].map((value, i) => value - (pixel[i] ?? 0))),
      );
      return distances.indexOf(Math.min(...distances));
    });
    return this.#grid;
  }
}

function maskOf(cells: readonly number[]): LogitGrid {
  const logits = new Float32Array(GRID * GRID).fill(-9);
  for (const cell of cells) logits[cell] = 9;
  return { width: GRID, height: GRID, logits };
}
