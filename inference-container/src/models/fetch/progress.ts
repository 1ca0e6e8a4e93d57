/** Shows how many bytes have come: a bar on a terminal, a line at each quarter elsewhere. */

/** Where sentences and the bar go; process.stderr is one. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const MEGABYTE = 1_000_000;
const BAR_WIDTH = 30;
const REDRAW_MS = 100;
const QUIET_STEPS = 4;

export class Progress {
  readonly #stream: Output;
  readonly #total: number;
  #bytes = 0;
  #drawnAt = 0;
  #stepsSaid = 0;

  constructor(stream: Output, total: number) {
    this.#stream = stream;
    this.#total = total;
  }

  /** Counts bytes; a negative number takes back those of a failed attempt. */
  add(bytes: number): void {
    this.#bytes += bytes;
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
    this.#stream.write(`\r[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}] ${this.#amount()}`);
  }

  #say(): void {
    const step = Math.floor(QUIET_STEPS * this.#share());
    if (step <= this.#stepsSaid) return;
    this.#stepsSaid = step;
    this.#stream.write(`  ${this.#amount()}\n`);
  }

  #share(): number {
    return Math.min(1, Math.max(0, this.#bytes / this.#total));
  }

  #amount(): string {
    return `${Math.round(this.#bytes / MEGABYTE)} of ${Math.round(this.#total / MEGABYTE)} MB`;
  }
}
