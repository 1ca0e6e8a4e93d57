import { type Output, ProgressBar, type Scale } from "../../inference-container/src/progress-bar.ts";
import type { JobStatus } from "../../src/contract/job.ts";

const LINES = 10;
/** The rounding error of binary fractions. */
const ROUNDING = 1e-6;

/**
 * The scale of a clip's progress: its frames if their number is known, else per cent. The API rounds the share down
 * to hundredths, so for more than 100 frames the shown number is a lower bound.
 */
export function progressScale(frames: number | null): Scale {
  if (frames === null) {
    return { total: 1, steps: LINES, amount: (share) => `${Math.round(share * 100)} %` };
  }
  return {
    total: frames,
    steps: LINES,
    amount: (done) => `${Math.ceil(done - ROUNDING)} of ${frames} frames`,
  };
}

/** Prints a job's status whenever it changes, with the seconds since the start, and the progress of a running job. */
export class JobProgress {
  readonly #startedAt = performance.now();
  readonly #output: Output;
  readonly #scale: Scale | null;
  #status = "";
  #bar: ProgressBar | null = null;

  /** @param scale the unit of the progress; null to show no progress */
  constructor(output: Output, scale: Scale | null) {
    this.#output = output;
    this.#scale = scale;
  }

  /** Takes a response of the API. @param progress the share of the work that is done, 0 to 1 */
  update({ status }: Pick<JobStatus, "status">, progress: number): void {
    if (status === "success") this.#reach(1);
    if (status !== this.#status) this.#enter(status);
    if (status === "processing") this.#reach(progress);
  }

  /** Ends the line of an unfinished progress bar. */
  end(): void {
    this.#bar?.end();
    this.#bar = null;
  }

  #enter(status: JobStatus["status"]): void {
    this.end();
    this.#status = status;
    const seconds = ((performance.now() - this.#startedAt) / 1_000).toFixed(1);
    this.#output.write(`  ${seconds.padStart(5)} s  ${status}\n`);
    if (status === "processing" && this.#scale !== null)
      this.#bar = new ProgressBar(this.#output, this.#scale);
  }

  #reach(share: number): void {
    this.#bar?.reach(share * (this.#scale?.total ?? 0));
  }
}
