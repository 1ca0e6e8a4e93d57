/** Shows progress: a bar on a terminal, one line per step elsewhere. */

/** The stream for the lines and the bar, e.g. process.stderr. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** The unit of the progress, and its display. */
export interface Scale {
  readonly total: number;
  /** The number of lines that replace the bar. */
  readonly steps: number;
  /** Formats the progress in words. */
  readonly amount: (done: number, total: number) => string;
}

const BAR_WIDTH = 30;
const REDRAW_MS = 100;

export class ProgressBar {
  readonly #stream: Output;
  readonly #scale: Scale;
  #done = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #drawn = "";
  #stepsSaid = 0;

  constructor(stream: Output, scale: Scale) {
    this.#stream = stream;
    this.#scale = scale;
  }

  /** Adds to the count; a negative number takes back the work of a failed attempt. */
  add(count: number): void {
    this.reach(this.#done + count);
  }

  /** Sets the count. */
  reach(done: number): void {
    this.#done = done;
    if (this.#stream.isTTY) this.#draw(false);
    else this.#say();
  }

  /** Ends the bar's line. */
  end(): void {
    if (!this.#stream.isTTY) return;
    this.#draw(true);
    this.#stream.write("\n");
  }

  #draw(always: boolean): void {
    if (!always && performance.now() - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = performance.now();
    const filled = Math.round(BAR_WIDTH * this.#share());
    const bar = `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}] ${this.#amount()}`;
    if (bar === this.#drawn) return;
    // Padded to the previous length, to erase the end of a longer bar.
    this.#stream.write(`\r${bar.padEnd(this.#drawn.length)}`);
    this.#drawn = bar;
  }

  #say(): void {
    const step = Math.floor(this.#scale.steps * this.#share());
    if (step <= this.#stepsSaid) return;
    this.#stepsSaid = step;
    this.#stream.write(`  ${this.#amount()}\n`);
  }

  #share(): number {
    return Math.min(1, Math.max(0, this.#done / this.#scale.total));
  }

  #amount(): string {
    return this.#scale.amount(this.#done, this.#scale.total);
  }
}
