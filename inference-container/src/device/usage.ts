/** The state of work: computing outside the device, waiting for its turn there, or running a graph there. */
export const STAGES = ["busy", "waiting", "model"] as const;
export type Stage = (typeof STAGES)[number];

/** Device use of one piece of work: its runs, one after another or in parallel. */
export class Usage {
  static #works = 0;
  /** The number of the work; a lower one is older. */
  readonly work = ++Usage.#works;
  /** Milliseconds of its runs. */
  ms = 0;
  /** Aborts when the caller no longer wants the work: its waiting runs are then canceled. */
  readonly signal: AbortSignal | undefined;
  readonly #of: Usage | undefined;
  readonly #at: (stage: Stage) => void;
  #asked = 0;
  #begun = 0;
  #waitedMs = 0;
  #since = 0;
  #stage: Stage = "busy";

  /**
   * @param of the larger work that this is part of; it counts every run too
   * @param at receives each stage that the work enters
   * @param signal by default that of the larger work
   */
  constructor(of?: Usage, at: (stage: Stage) => void = () => undefined, signal?: AbortSignal) {
    this.signal = signal ?? of?.signal;
    this.#of = of;
    this.#at = at;
  }

  /** Milliseconds in which the work did nothing but wait for its turn. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#stage === "waiting" ? performance.now() - this.#since : 0);
  }

  /** A run waits for its turn. */
  asked(): void {
    this.#asked += 1;
    this.#move();
    this.#of?.asked();
  }

  /** A waiting run has got the device. */
  began(): void {
    this.#asked -= 1;
    this.#begun += 1;
    this.#move();
    this.#of?.began();
  }

  /** A waiting run was withdrawn or has failed. */
  left(): void {
    this.#asked -= 1;
    this.#move();
    this.#of?.left();
  }

  /** A run that had the device is done, after `ms` milliseconds. */
  ended(ms: number): void {
    this.#begun -= 1;
    this.ms += ms;
    this.#move();
    this.#of?.ended(ms);
  }

  /** Waits for another's turn, or for a place: the work does nothing else meanwhile. */
  async waiting<T>(wait: () => Promise<T>): Promise<T> {
    this.asked();
    try {
      return await wait();
    } finally {
      this.left();
    }
  }

  #move(): void {
    const stage = this.#begun > 0 ? "model" : this.#asked > 0 ? "waiting" : "busy";
    const now = performance.now();
    if (this.#stage === "waiting") this.#waitedMs += now - this.#since;
    this.#stage = stage;
    this.#since = now;
    this.#at(stage);
  }
}
