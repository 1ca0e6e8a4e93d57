/** Where work is: at what it does itself, waiting for its turn with the device, or with it. */
export const STAGES = ["busy", "waiting", "model"] as const;
export type Stage = (typeof STAGES)[number];

/** What some work has of the device: its runs, one after another or at once. */
export class Usage {
  static #works = 0;
  /** Counts works by age. */
  readonly work = ++Usage.#works;
  /** Milliseconds of its runs; of what it had together with others, its share. */
  ms = 0;
  /** Aborts where nobody wants the work any more: runs that wait are given up then. */
  readonly signal: AbortSignal | undefined;
  readonly #of: Usage | undefined;
  readonly #at: (stage: Stage) => void;
  #asked = 0;
  #begun = 0;
  #waitedMs = 0;
  #since = 0;
  #stage: Stage = "busy";

  /**
   * @param of the larger work that this is part of, which hears of every run
   * @param at hears where the work is from now on
   * @param signal that of the larger work where it has none of its own
   */
  constructor(of?: Usage, at: (stage: Stage) => void = () => undefined, signal?: AbortSignal) {
    this.signal = signal ?? of?.signal;
    this.#of = of;
    this.#at = at;
  }

  /** Milliseconds in which nothing went on but waiting for a turn. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#stage === "waiting" ? performance.now() - this.#since : 0);
  }

  /** A run waits for its turn. */
  asked(): void {
    this.#asked += 1;
    this.#move();
    this.#of?.asked();
  }

  /** One of those that wait has the device. */
  began(): void {
    this.#asked -= 1;
    this.#begun += 1;
    this.#move();
    this.#of?.began();
  }

  /** One of those that wait does so no more. */
  left(): void {
    this.#asked -= 1;
    this.#move();
    this.#of?.left();
  }

  /** One that had the device is done, after so many milliseconds. */
  ended(ms: number): void {
    this.#begun -= 1;
    this.ms += ms;
    this.#move();
    this.#of?.ended(ms);
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
