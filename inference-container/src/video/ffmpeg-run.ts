import { spawn, type ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { problemOf } from "@segmentation/protocol";
import { TaskFailure } from "../tasks/failure.ts";

/** How much of the end of FFmpeg's log is kept. */
const LOG_LENGTH = 16_384;

/** It is given up when nothing comes from it for so long while it is waited for. */
export const STALL_SECONDS = 60;

interface RunOptions {
  readonly signal: AbortSignal;
  /** Whether it reads from `input`; without, its standard input is closed. */
  readonly withInput?: boolean;
  /** Called with what it writes to its file descriptor 3, as it comes, and with null at the end. */
  readonly onSide?: (text: string | null) => void;
  /** Instead of `STALL_SECONDS`. */
  readonly stallSeconds?: number;
}

/**
 * One FFmpeg as a child process, started without a shell. It is killed when the signal aborts, when it stalls and when
 * it is disposed of, so that none outlives its use.
 */
export class FfmpegRun {
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal;
  #stallSeconds: number;
  readonly #exited: Promise<void>;
  readonly #closed: Promise<void>;
  #log = "";
  #startFailure: Error | null = null;
  #stalled = false;
  #waits = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ffmpeg: string, args: readonly string[], options: RunOptions) {
    options.signal.throwIfAborted();
    this.#signal = options.signal;
    this.#stallSeconds = options.stallSeconds ?? STALL_SECONDS;
    const { withInput = false, onSide } = options;
    const quiet = ["-nostdin", "-hide_banner", "-nostats", "-loglevel", "repeat+info"];
    this.#child = spawn(ffmpeg, [...quiet, ...args], {
      stdio: [withInput ? "pipe" : "ignore", "pipe", "pipe", onSide === undefined ? "ignore" : "pipe"],
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once("exit", () => resolve());
      // Also a kill that fails ends here, of which none may be left without a listener.
      this.#child.on("error", (error) => {
        this.#startFailure ??= error;
        resolve();
      });
    });
    this.#closed = new Promise((resolve) => {
      this.#child.once("close", () => resolve());
    });
    // A process that dies breaks its pipes; how it ended says more.
    for (const stream of this.#child.stdio) stream?.on("error", () => {});
    this.#child.stderr?.setEncoding("latin1").on("data", (text: string) => {
      this.#log = (this.#log + text).slice(-LOG_LENGTH);
    });
    this.#child.stdio[3]
      ?.on("data", (bytes: Buffer) => {
        this.#watch();
        onSide?.(bytes.toString("latin1"));
      })
      .once("close", () => onSide?.(null));
    options.signal.addEventListener("abort", this.#kill, { once: true });
  }

  /** The end of what it said so far, as Latin-1: the texts of files that it repeats must not hold line ends of Unicode. */
  get log(): string {
    return this.#log;
  }

  /** Its standard input; null where it has none. What can't be written is left to `finished` to tell. */
  get input(): Writable | null {
    return this.#child.stdin;
  }

  /** What it writes to its standard output. @throws as `waitFor` */
  async *output(): AsyncGenerator<Buffer> {
    const stream: Readable | null = this.#child.stdout;
    if (stream === null) return;
    const chunks: AsyncIterator<unknown> = stream[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await this.waitFor(chunks.next());
      if (done === true) return;
      if (Buffer.isBuffer(value)) yield value;
    }
  }

  /**
   * Resolves at its end, with its log complete and whether it ended well.
   *
   * @param stallSeconds from now on; by default what it was before
   * @throws as `waitFor`, and TaskFailure named video_crashed
   */
  async finished(stallSeconds = this.#stallSeconds): Promise<boolean> {
    this.#stallSeconds = stallSeconds;
    await this.waitFor(this.#closed);
    if (this.#child.signalCode === null) return this.#child.exitCode === 0;
    throw this.#failure("video_crashed");
  }

  /**
   * Waits for something that only this process can bring about, and gives the process up where that takes too long.
   *
   * @throws the signal's reason, TaskFailure named video_stalled, or the Error of a process that could not be started
   */
  async waitFor<T>(event: Promise<T>): Promise<T> {
    this.#waits++;
    this.#watch();
    try {
      return await event;
    } catch (error) {
      this.#throwIfGivenUp();
      throw error;
    } finally {
      this.#waits--;
      this.#watch();
      this.#throwIfGivenUp();
    }
  }

  /** Kills it where it still runs, and resolves once it is gone. It never fails, so that it hides no other failure. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal.removeEventListener("abort", this.#kill);
    clearTimeout(this.#timer);
    this.#kill();
    await this.#exited;
    for (const stream of this.#child.stdio) stream?.destroy();
  }

  #throwIfGivenUp(): void {
    this.#signal.throwIfAborted();
    if (this.#startFailure !== null) throw this.#startFailure;
    if (!this.#stalled) return;
    throw this.#failure("video_stalled");
  }

  #failure(code: "video_crashed" | "video_stalled"): Error {
    return new TaskFailure(problemOf(code), this.#log);
  }

  /** Starts the time anew in which something must come. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#waits === 0) return;
    this.#timer = setTimeout(() => {
      this.#stalled = true;
      this.#kill();
    }, this.#stallSeconds * 1000);
  }

  readonly #kill = (): void => {
    // SIGTERM would have FFmpeg finish its files first.
    this.#child.kill("SIGKILL");
  };
}
