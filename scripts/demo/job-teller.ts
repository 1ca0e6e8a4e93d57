import { type Output, ProgressBar, type Scale } from "../../inference-container/src/progress-bar.ts";
import type { JobStatus } from "../../src/contract/job.ts";

const LINES = 10;
/** What binary fractions may be off by. */
const ROUNDING = 1e-6;

/**
 * The scale of a clip's progress: its frames where their number is known, hundredths elsewhere. The API tells a share
 * that is rounded down to hundredths, so that of more than 100 frames at least so many are done.
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

/** Tells a job's states as they change, each with the seconds since the start, and the progress of one under way. */
export class JobTeller {
  readonly #startedAt = performance.now();
  readonly #output: Output;
  readonly #scale: Scale | null;
  #status = "";
  #bar: ProgressBar | null = null;

  /** @param scale what progress is counted in; null where none is shown */
  constructor(output: Output, scale: Scale | null) {
    this.#output = output;
    this.#scale = scale;
  }

  /** Takes an answer of the API; `progress` is the share of the work that is done. */
  tell({ status }: Pick<JobStatus, "status">, progress: number): void {
    if (status === "success") this.#reach(1);
    if (status !== this.#status) this.#enter(status);
    if (status === "processing") this.#reach(progress);
  }

  /** Ends the line of a bar that was left half way. */
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
