/** Shows how much of something is done: a bar on a terminal, a line at each step elsewhere. */

/** Where sentences and the bar go; process.stderr is one. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** What is counted. */
export interface Scale {
  readonly total: number;
  /** How many lines there are in place of a bar. */
  readonly steps: number;
  /** How much is done, in words. */
  readonly amount: (done: number, total: number) => string;
}

const BAR_WIDTH = 30;
const REDRAW_MS = 100;

export class ProgressBar {
  readonly #stream: Output;
  readonly #scale: Scale;
  #done = 0;
  #drawnAt = 0;
  #drawn = "";
  #stepsSaid = 0;

  constructor(stream: Output, scale: Scale) {
    this.#stream = stream;
    this.#scale = scale;
  }

  /** Counts up; a negative number takes back what a failed attempt had done. */
  add(count: number): void {
    this.reach(this.#done + count);
  }

  /** Shows that so much is done by now. */
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
    // As long as the one before, lest the end of a longer one stays.
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
