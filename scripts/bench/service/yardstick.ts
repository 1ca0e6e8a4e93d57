const EVERY_MS = 200;
/** Linux counts processor time in ticks of several milliseconds, so each sample takes several loops. */
const LOOPS = 6;

const bytes = new Uint8Array(1_000_000);
const floats = new Float32Array(bytes.length);
/** The least milliseconds of a loop: nothing interrupted it. */
let least = Number.POSITIVE_INFINITY;

/** Measures how much other work on the same cores stretches processor time: caches and the cores' own units are shared. */
export class Yardstick {
  #spent = 0;
  #loops = 0;
  readonly #timer = setInterval(() => this.#look(), EVERY_MS);

  /** The mean processor time of a fixed loop since the beginning, by its least time ever; 1 on a machine without other work. */
  stop(): number {
    clearInterval(this.#timer);
    this.#look();
    return this.#spent / this.#loops / least;
  }

  #look(): void {
    const before = process.threadCpuUsage();
    for (let loop = 0; loop < LOOPS; loop += 1) {
      const began = performance.now();
      for (let at = 0; at < bytes.length; at += 1) floats[at] = ((bytes[at] ?? 0) - 127) / 128;
      least = Math.min(least, performance.now() - began);
    }
    const { user, system } = process.threadCpuUsage(before);
    this.#spent += (user + system) / 1_000;
    this.#loops += LOOPS;
  }
}
