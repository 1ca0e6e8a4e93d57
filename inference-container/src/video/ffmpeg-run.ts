import { spawn, type ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { problemOf } from "@segmentation/protocol";
import { TaskFailure } from "../failures.ts";

/** Characters of the end of FFmpeg's log that are kept. */
const LOG_LENGTH = 16_384;

/** Messages about a packet that a decoder refused, of all versions. */
const REFUSED = /Error submitting packet to decoder|Error while decoding stream|Decoding error/g;

/** Seconds of silence, while something waits for it, after which FFmpeg is killed. */
export const STALL_SECONDS = 60;

/**
 * The memory limit of one FFmpeg. A video of a hundred kilobytes can ask for more than any machine has, by large frames
 * that refer to many others. Videos from cameras take less (docs/operations/inference.md).
 */
export const MEMORY_GIB = 3;

/** Limits its own memory, if the system does not already, and becomes FFmpeg: `ulimit` counts in kibibytes. */
const LIMITED = `ulimit -d ${MEMORY_GIB * 1024 ** 2} 2>/dev/null; exec "$0" "$@"`;

/** Exit codes of a shell for a command that does not exist or can't run. */
const NOT_STARTED = new Set([126, 127]);

interface RunOptions {
  readonly signal: AbortSignal;
  /** True if it reads from `input`; otherwise its standard input is closed. */
  readonly withInput?: boolean;
  /** Receives its output on file descriptor 3, as it comes, and null at the end. */
  readonly onSide?: (text: string | null) => void;
  /** By default `STALL_SECONDS`. */
  readonly stallSeconds?: number;
}

/**
 * One FFmpeg child process with bounded memory. The shell that sets the bound takes its arguments as words alone. Kills
 * the process when the signal aborts, when it stalls, and when it is disposed of.
 */
export class FfmpegRun {
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal;
  #stallSeconds: number;
  readonly #exited: Promise<void>;
  readonly #closed: Promise<void>;
  #log = "";
  /** The unfinished last line of the log. */
  #line = "";
  #refused = 0;
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
    this.#child = spawn("/bin/sh", ["-c", LIMITED, ffmpeg, ...quiet, ...args], {
      stdio: [withInput ? "pipe" : "ignore", "pipe", "pipe", onSide === undefined ? "ignore" : "pipe"],
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once("exit", () => resolve());
      // A kill that fails is reported here too, and an error event without a listener would throw.
      this.#child.on("error", (error) => {
        this.#startFailure ??= error;
        resolve();
      });
    });
    this.#closed = new Promise((resolve) => {
      this.#child.once("close", () => resolve());
    });
    // A process that dies breaks its pipes, but its exit says more.
    for (const stream of this.#child.stdio) stream?.on("error", () => {});
    this.#child.stderr?.setEncoding("latin1").on("data", (text: string) => {
      this.#log = (this.#log + text).slice(-LOG_LENGTH);
      const lines = (this.#line + text).slice(-LOG_LENGTH);
      this.#line = lines.slice(lines.lastIndexOf("\n") + 1);
      this.#refused += lines.slice(0, lines.length - this.#line.length).match(REFUSED)?.length ?? 0;
    });
    this.#child.stdio[3]
      ?.on("data", (bytes: Buffer) => {
        this.#watch();
        onSide?.(bytes.toString("latin1"));
      })
      .once("close", () => onSide?.(null));
    options.signal.addEventListener("abort", this.#kill, { once: true });
  }

  /** The end of its log so far, as Latin-1: texts that it repeats from files must not contain Unicode line ends. */
  get log(): string {
    return this.#log;
  }

  /** The number of packets its decoder has refused so far. */
  get refusedPackets(): number {
    return this.#refused;
  }

  /** Its standard input; null if it has none. `finished` reports failed writes. */
  get input(): Writable | null {
    return this.#child.stdin;
  }

  /** Its standard output. @throws as `waitFor` */
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
   * Its standard output as lines of Latin-1, without their ends; drops an unfinished last line.
   * @throws as `waitFor`
   */
  async *lines(): AsyncGenerator<string> {
    let rest = "";
    for await (const piece of this.output()) {
      const lines = (rest + piece.toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  }

  /**
   * Resolves when it has ended and its log is complete; true if it succeeded.
   *
   * @param stallSeconds from now on; by default unchanged
   * @throws as `waitFor`, and TaskFailure named video_crashed; Error if there is no such FFmpeg
   */
  async finished(stallSeconds = this.#stallSeconds): Promise<boolean> {
    this.#stallSeconds = stallSeconds;
    await this.waitFor(this.#closed);
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null && NOT_STARTED.has(exitCode))
      throw new Error(`FFmpeg could not be started: ${this.#log.trim()}`);
    if (signalCode === null) return exitCode === 0;
    throw this.#failure("video_crashed");
  }

  /**
   * Waits for an event that only this process can cause, and kills the process if that takes too long.
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

  /** Kills it if it still runs, and resolves once it is gone. Never rejects, because that would hide another failure. */
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

  /** Restarts the stall timer. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#waits === 0) return;
    this.#timer = setTimeout(() => {
      this.#stalled = true;
      this.#kill();
    }, this.#stallSeconds * 1000);
  }

  readonly #kill = (): void => {
    // SIGTERM would let FFmpeg finish its files first.
    this.#child.kill("SIGKILL");
  };
}
