import { MOST_STREAMS, STREAMS_REPORTED_EVERY_MS } from "../core/jobs/waiters.ts";

/** The open streams of one job: how many there are, and that the account's count of them stays true. */
export class StreamPlaces {
  readonly #say: (count: number) => Promise<boolean>;
  #count = 0;
  #saying: ReturnType<typeof setInterval> | undefined;

  /** @param say tells the account's count how many there are; resolves to false if it admits no more, and never rejects */
  constructor(say: (count: number) => Promise<boolean>) {
    this.#say = say;
  }

  get count(): number {
    return this.#count;
  }

  /** Takes a place for a stream; or says which has too many streams. */
  async take(): Promise<"taken" | "job_full" | "account_full"> {
    if (this.#count >= MOST_STREAMS.job) return "job_full";
    this.#count += 1;
    if (!(await this.#say(this.#count))) {
      this.#count -= 1;
      return "account_full";
    }
    this.#saying ??= setInterval(() => void this.#say(this.#count), STREAMS_REPORTED_EVERY_MS);
    return "taken";
  }

  /** Gives a place back. */
  async leave(): Promise<void> {
    this.#count -= 1;
    if (this.#count === 0) {
      clearInterval(this.#saying);
      this.#saying = undefined;
    }
    await this.#say(this.#count);
  }
}
