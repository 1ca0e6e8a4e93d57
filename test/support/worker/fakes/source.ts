import { vi } from "vitest";

/** A step of a source: bytes after a pause of `afterMs`, silence, or the loss of the connection. */
type Step = Uint8Array | { readonly afterMs: number; readonly bytes: Uint8Array } | "silence" | "failure";

/** A source's answer. Without `size` it announces none. */
export interface SourceAnswer {
  readonly afterMs?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly size?: number;
  readonly steps?: Iterable<Step>;
}

/** A third-party server, faked by a test: it answers each URL with the test's answer, and is unreachable at any other. */
export class FakeSource {
  /** The received requests, in their order. */
  readonly requests: Request[] = [];
  readonly #answers: ReadonlyMap<string, SourceAnswer | "silence" | "failure">;
  readonly #waiting: (() => void)[] = [];

  constructor(answers: Readonly<Record<string, SourceAnswer | "silence" | "failure">>) {
    this.#answers = new Map(Object.entries(answers));
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input, init);
      this.requests.push(request);
      const answer = this.#answers.get(request.url) ?? "failure";
      if (answer === "silence") return await this.#pause();
      if (answer === "failure") throw new TypeError("no such host");
      if (answer.afterMs !== undefined) await this.#pause(answer.afterMs);
      return this.#respond(answer);
    });
  }

  /** Resolves when the source next pauses or falls silent. */
  pauses(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** A pause; without a length it never ends. */
  #pause(ms?: number): Promise<never> {
    const pause = new Promise<never>((resolve) => {
      if (ms !== undefined) setTimeout(resolve, ms);
    });
    for (const tell of this.#waiting.splice(0)) tell();
    return pause;
  }

  #respond({ status = 200, headers = {}, size, steps = [] }: SourceAnswer): Response {
    const rest = steps[Symbol.iterator]();
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      const { value, done } = rest.next();
      if (done) controller.close();
      else if (value === "silence") await this.#pause();
      else if (value === "failure") controller.error(new TypeError("the connection was lost"));
      else if (value instanceof Uint8Array) controller.enqueue(value);
      else {
        await this.#pause(value.afterMs);
        controller.enqueue(value.bytes);
      }
    };
    return new Response(status === 204 ? null : new ReadableStream({ pull }, { highWaterMark: 0 }), {
      status,
      headers: { ...headers, ...(size !== undefined && { "content-length": String(size) }) },
    });
  }
}

/** Answers all of the Worker's fetches with a source from now on. */
export const fakeSource = (...answers: ConstructorParameters<typeof FakeSource>): FakeSource =>
  new FakeSource(...answers);
