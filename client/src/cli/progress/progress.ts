import type { Terminal } from "../terminal.ts";
import { count, duration, rate } from "./words.ts";

/** The progress of a run. */
export interface ProgressState {
  readonly done: number;
  readonly total: number;
  /** The number of uploaded files; shown until the jobs make progress. */
  readonly sent: number;
  /** Since it began. */
  readonly seconds: number;
  /** The reason why the run waits, if it does. */
  readonly waitsFor: string | undefined;
  /** The number of frames of each file, if all are videos; null if unknown. */
  readonly frames?: Frames;
}

/** The number of segmented frames of each video, null if unknown; undefined for pictures. */
export type Frames = number | null | undefined;

const BAR = 24;
/** The rounding error of binary fractions. */
const ROUNDING = 1e-6;

/** The amount of finished work: files, or the known frames of videos. The service rounds shares down to hundredths. */
function amount({ done, total, frames }: ProgressState): string {
  if (frames === undefined) return `${count(Math.floor(done))}/${count(total)}`;
  if (frames === null) return `${Math.floor((100 * done) / Math.max(1, total) + ROUNDING)}% of the frames`;
  return `${count(Math.ceil(done * frames - ROUNDING))}/${count(total * frames)} frames`;
}

/** One line that shows the progress: bar, counts, rate, time left. No longer than `columns`. */
export function barLine(state: ProgressState, columns: number): string {
  const { done, total, sent, seconds, waitsFor, frames } = state;
  const share = total === 0 ? 1 : done / total;
  const full = Math.floor(share * BAR);
  const perSecond = done / seconds;
  const pace = frames === null ? "" : `${rate(perSecond * (frames ?? 1))}  `;
  const left = done > 0 && seconds > 1 ? `${pace}${duration((total - done) / perSecond)} left` : "";
  const note = waitsFor ?? (left === "" && sent > 0 ? `${count(sent)} uploaded` : left);
  const line = `${"█".repeat(full)}${"░".repeat(BAR - full)} ${amount(state)}  ${note}`;
  return line.slice(0, Math.max(0, columns - 1)).trimEnd();
}

const REDRAW_MS = 500;
const ERASE_LINE = "\r\x1b[K";
/** Without a terminal: a line for each tenth of the work, if there is a lot of it. */
const STEPS = 10;
const MUCH = 20;

/** Shows the progress of a run: a bar that is redrawn, or without a terminal an occasional line. */
export class ProgressView {
  readonly #terminal: Terminal;
  readonly #shares = new Map<string, number>();
  #done = 0;
  #sent = 0;
  #startedAt = Date.now();
  #waitsFor: string | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #step = 0;
  #frames: Frames;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Sets the files, and for videos the number of frames of each. */
  begin(ids: readonly string[], frames?: Frames): void {
    this.#frames = frames;
    for (const id of ids) this.#shares.set(id, 0);
    this.#startedAt = Date.now();
    this.#timer ??= setInterval(() => this.#draw(), REDRAW_MS);
    this.#timer.unref();
    this.#draw();
  }

  /** Counts one more uploaded file. */
  sent(): void {
    this.#sent++;
  }

  /** Sets the share of these files that is done, 0 to 1. */
  share(ids: readonly string[], share: number): void {
    this.#waitsFor = undefined;
    for (const id of ids) {
      this.#done += share - (this.#shares.get(id) ?? 0);
      this.#shares.set(id, share);
    }
    const state = this.#standing();
    const { done, total, frames } = state;
    const parts = frames === null ? MUCH : total * (frames ?? 1);
    if (this.#terminal.isInteractive || parts < MUCH) return;
    const step = Math.floor((done / total) * STEPS + ROUNDING);
    if (step > this.#step) this.#terminal.report(`${amount(state)} done`);
    this.#step = step;
  }

  /** Shows that the run is waiting, and why. */
  waits(why: string): void {
    if (!this.#terminal.isInteractive && this.#waitsFor !== why) this.#terminal.report(`Waiting: ${why}`);
    this.#waitsFor = why;
  }

  /** Clears the bar. */
  end(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#terminal.isInteractive) this.#terminal.draw(ERASE_LINE);
  }

  #standing(): ProgressState {
    const seconds = (Date.now() - this.#startedAt) / 1_000;
    return {
      done: this.#done,
      total: this.#shares.size,
      sent: this.#sent,
      seconds,
      waitsFor: this.#waitsFor,
      frames: this.#frames,
    };
  }

  #draw(): void {
    if (this.#terminal.isInteractive)
      this.#terminal.draw(ERASE_LINE + barLine(this.#standing(), this.#terminal.columns));
  }
}
