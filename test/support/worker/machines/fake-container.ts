/** The number of each running machine's start, by its id. They outlive the object that started them, as Cloudflare's do. */
const running = new Map<string, number>();
let started = 0;

/** A fake of `ctx.container`, whose machine is a process of the real inference service on the test runner's host. */
export class FakeContainer {
  readonly #host: Pick<Fetcher, "fetch">;
  readonly #id: string;
  /** The settings of each start. */
  readonly starts: Record<string, string>[] = [];
  readonly signals: number[] = [];
  /** Paths of all requests to the machine. */
  readonly requests: string[] = [];
  /** False for a machine that runs without its port listening. */
  isListening = true;
  /** The reason why no machine can be had; null if one can. */
  refusal: string | null = null;
  #isUp: Promise<unknown> = Promise.resolve();

  constructor(host: Pick<Fetcher, "fetch">, id: string) {
    this.#host = host;
    this.#id = id;
  }

  get running(): boolean {
    return running.has(this.#id);
  }

  start({ env = {} }: { env?: Record<string, string> }): void {
    if (this.refusal !== null) throw new Error(this.refusal);
    started += 1;
    running.set(this.#id, started);
    this.starts.push(env);
    this.isListening = false;
    this.#isUp = this.#boot(env);
  }

  /** Ends with the machine. */
  async monitor(): Promise<void> {
    const why = await this.#exit();
    if (why !== "exit code 0") throw new Error(`container exited with unexpected exit code: ${why}`);
  }

  signal(number: number): void {
    this.signals.push(number);
    void this.#isUp.then(() => this.#call(`signal/${number}`, { method: "POST" }));
  }

  /** Ends the machine without a warning, and waits until it is gone. */
  async crash(): Promise<void> {
    if (!this.running) return;
    this.signal(9);
    await this.#exit();
  }

  async destroy(): Promise<void> {
    await this.crash();
  }

  getTcpPort(port: number) {
    return {
      fetch: async (input: string | Request, init?: RequestInit): Promise<Response> => {
        const request = new Request(input, init);
        if (!this.running || !this.isListening)
          throw new Error(`the container is not listening in the TCP address 10.0.0.1:${port}`);
        const { pathname } = new URL(request.url);
        this.requests.push(`${request.method} ${pathname}`);
        const body = request.method === "POST" ? await request.text() : null;
        const { method, headers, signal } = request;
        return await this.#call(`fetch${pathname}`, { method, headers, body, signal });
      },
    };
  }

  async #boot(env: Record<string, string>): Promise<void> {
    await this.#call("start", { method: "POST", body: JSON.stringify(env) });
    this.isListening = true;
  }

  async #exit(): Promise<string> {
    const start = running.get(this.#id);
    await this.#isUp;
    const why = await (await this.#call("exit")).text();
    // Two wait for the same end: the later one must not end the machine's next start.
    if (running.get(this.#id) === start) running.delete(this.#id);
    return why;
  }

  #call(path: string, init?: RequestInit): Promise<Response> {
    return this.#host.fetch(`http://machines/${this.#id}/${path}`, init);
  }
}
