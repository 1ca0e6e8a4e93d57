import { findRuns, type LogitGrid, type RowRuns, type Size } from "@segmentation/masks";
import { maskPixels } from "../masks/write-mask-png.ts";
import { ByteCache } from "../models/memory/byte-cache.ts";

/** Bytes of run lengths that are kept for further takers: some hundred masks of a large picture. */
const KEPT_BYTES = 134_217_728;

/** A mask at its picture's size, and its compressed pixels, which the first call makes. */
interface Drawn {
  readonly runs: RowRuns;
  readonly pixels: () => Promise<Buffer>;
}

/** Draws masks at their picture's size, and keeps a shared mask until its last taker has it. */
export class DrawnMasks {
  readonly #size: Size;
  readonly #threshold: number;
  readonly #takers = new Map<LogitGrid, number>();
  readonly #kept = new ByteCache<Drawn, LogitGrid>(
    KEPT_BYTES,
    ({ runs: { starts, edges } }) => starts.byteLength + edges.byteLength,
  );

  /** @param threshold a probability @param masks every mask, once for each taker */
  constructor(size: Size, threshold: number, masks: readonly LogitGrid[]) {
    this.#size = size;
    this.#threshold = threshold;
    for (const mask of masks) this.#takers.set(mask, (this.#takers.get(mask) ?? 0) + 1);
  }

  /** The mask for its next taker. */
  take(mask: LogitGrid): Drawn {
    const drawn = this.#kept.get(mask) ?? this.#draw(mask);
    const left = (this.#takers.get(mask) ?? 1) - 1;
    this.#takers.set(mask, left);
    if (left === 0) this.#kept.delete(mask);
    else this.#kept.set(mask, drawn);
    return drawn;
  }

  #draw(mask: LogitGrid): Drawn {
    const runs = findRuns(mask, this.#size.width, this.#size.height, this.#threshold);
    let made: Promise<Buffer> | undefined;
    return { runs, pixels: () => (made ??= maskPixels(runs)) };
  }
}
