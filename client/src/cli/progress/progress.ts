import type { Terminal } from "../terminal.ts";
import { count, duration, rate } from "./words.ts";

/** How far a run is. */
export interface Standing {
  readonly done: number;
  readonly total: number;
  /** How many files have been uploaded; shown until the jobs make progress. */
  readonly sent: number;
  /** Since it began. */
  readonly seconds: number;
  /** What it waits for, if it does. */
  readonly waitsFor: string | undefined;
}

const BAR = 24;

/** The line of a progress: a bar, how many, the rate, the time left. No longer than `columns`. */
export function barLine({ done, total, sent, seconds, waitsFor }: Standing, columns: number): string {
  const share = total === 0 ? 1 : done / total;
  const full = Math.floor(share * BAR);
  const perSecond = done / seconds;
  const left =
    done > 0 && seconds > 1 ? `${rate(perSecond)}  ${duration((total - done) / perSecond)} left` : "";
  const pace = waitsFor ?? (left === "" && sent > 0 ? `${count(sent)} uploaded` : left);
  const line = `${"█".repeat(full)}${"░".repeat(BAR - full)} ${count(Math.floor(done))}/${count(total)}  ${pace}`;
  return line.slice(0, Math.max(0, columns - 1)).trimEnd();
}

const REDRAW_MS = 500;
const ERASE_LINE = "\r\x1b[K";
/** Where nobody watches, a line for each tenth of the work, if it is much. */
const STEPS = 10;
const MUCH = 20;

/** Shows how far a run is: a bar that is drawn again and again, or now and then a line where there is no terminal. */
export class ProgressView {
  readonly #terminal: Terminal;
  readonly #shares = new Map<string, number>();
  #done = 0;
  #sent = 0;
  #startedAt = Date.now();
  #waitsFor: string | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #step = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** So many files are to be done. */
  begin(ids: readonly string[]): void {
    for (const id of ids) this.#shares.set(id, 0);
    this.#startedAt = Date.now();
    this.#timer ??= setInterval(() => this.#draw(), REDRAW_MS);
    this.#timer.unref();
    this.#draw();
  }

  /** One more file is uploaded. */
  sent(): void {
    this.#sent++;
  }

  /** So much of these files is done, 0 to 1. */
  share(ids: readonly string[], share: number): void {
    this.#waitsFor = undefined;
    for (const id of ids) {
      this.#done += share - (this.#shares.get(id) ?? 0);
      this.#shares.set(id, share);
    }
    const { done, total } = this.#standing();
    if (this.#terminal.isInteractive || total < MUCH) return;
    const step = Math.floor((done / total) * STEPS);
    if (step > this.#step) this.#terminal.report(`${count(Math.floor(done))} of ${count(total)} done`);
    this.#step = step;
  }

  /** The run waits, and why. */
  waits(why: string): void {
    if (!this.#terminal.isInteractive && this.#waitsFor !== why) this.#terminal.report(`Waiting: ${why}`);
    this.#waitsFor = why;
  }

  /** Takes the bar away. */
  end(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#terminal.isInteractive) this.#terminal.draw(ERASE_LINE);
  }

  #standing() {
    const seconds = (Date.now() - this.#startedAt) / 1_000;
    return {
      done: this.#done,
      total: this.#shares.size,
      sent: this.#sent,
      seconds,
      waitsFor: this.#waitsFor,
    };
  }

  #draw(): void {
    if (this.#terminal.isInteractive)
      this.#terminal.draw(ERASE_LINE + barLine(this.#standing(), this.#terminal.columns));
  }
}
