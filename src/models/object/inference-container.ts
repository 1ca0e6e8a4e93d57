import { Container } from "@cloudflare/containers";
import { z } from "zod";
import { settingsOf, type Env } from "../../env.ts";
import { SettingsSchema } from "../../settings.ts";
import { log, reasonOf } from "../../shared/log.ts";
import { randomToken } from "../../shared/random-token.ts";
import type { ContainerRpc, MachineState } from "../store/container-rpc.ts";
import { machineEnvironment } from "../rules/machine-environment.ts";

const PORT = 8788;
const ORIGIN = "http://container";
const MODEL_PATH = "/v1/model";
const TOKEN = "token";
const MODEL = "model";

/** For an instance, and for the download of a new image to it. */
const MACHINE_PATIENCE_MS = 60_000;
const PORT_PATIENCE_MS = 60_000;
/** For its model: longer than any that was seen, and shorter than a machine that hangs may cost. */
const MODEL_PATIENCE_MS = 300_000;
const POLL_MS = 500;
const ASK_MS = 5_000;
/** Seconds until a client may ask again. */
const RETRY_SECONDS = "5";
/** Number of questions without an answer in a row after which a machine is stopped. */
const SILENCES = 3;
/** A machine that does not start would otherwise be started at each offer. */
const PAUSE_MS = 30_000;

/** The model that a machine of an image has described. */
interface KeptModel {
  readonly image: string;
  readonly description: unknown;
}

/** One machine of Cloudflare Containers with the inference service. It starts on demand and sleeps once its service has no task. */
export class InferenceContainer extends Container<Env> implements ContainerRpc {
  override defaultPort = PORT;
  override pingEndpoint = "container/healthz";
  override sleepAfter: number = sleepSecondsOf(this.env);
  #starting: Promise<void> | null = null;
  #isReady = false;
  #pausedUntil = 0;
  /** Requests that were passed to the machine, and those of them that it has answered. */
  #passed = 0;
  #answered = 0;
  #silences = 0;

  get #isRunning(): boolean {
    return this.ctx.container?.running === true;
  }

  machine(): MachineState {
    if (!this.#isRunning) this.#isReady = false;
    if (this.#starting !== null) return "starting";
    if (this.#isReady) return "up";
    if (!this.#isRunning) return Date.now() < this.#pausedUntil ? "failed" : "asleep";
    // The object is new, and its machine is not.
    this.#begin();
    return "starting";
  }

  wake(): void {
    if (this.machine() === "asleep") this.#begin();
  }

  /** Forwards a request to a machine that is up. Answers 503 at once otherwise: the Worker gives up after ten seconds. */
  override async fetch(request: Request): Promise<Response> {
    if (request.method === "GET" && new URL(request.url).pathname === MODEL_PATH) return this.#describe();
    const state = this.machine();
    if (state !== "up") return unavailable(state);
    this.renewActivityTimeout();
    this.#passed += 1;
    try {
      const { method, headers, signal } = request;
      const body = method === "POST" ? await request.arrayBuffer() : null;
      const { pathname } = new URL(request.url);
      return await this.#ask(pathname, { method, headers: new Headers(headers), body, signal });
    } catch (error) {
      log("warn", "container_silent", { instance: this.ctx.id.name ?? null, reason: reasonOf(error) });
      return Response.json(
        { error: "container_silent", message: "The container gave no answer." },
        { status: 502 },
      );
    } finally {
      this.#answered += 1;
    }
  }

  /** Keeps a machine with tasks awake: it reports them by callbacks, which do not pass through here. */
  override async onActivityExpired(): Promise<void> {
    if (!this.#isRunning || this.#starting !== null) return;
    const answered = this.#answered;
    if (await this.#hasTasks()) return;
    // A task may have arrived since the machine was asked.
    if (this.#passed > answered) return;
    await this.stop();
  }

  override onStop({ exitCode }: { exitCode: number }): void {
    this.#isReady = false;
    log("info", "container_stopped", { instance: this.ctx.id.name ?? null, exitCode });
  }

  override onError(error: unknown): void {
    log("warn", "container_failed", { instance: this.ctx.id.name ?? null, reason: reasonOf(error) });
  }

  get #image(): string {
    return settingsOf(this.env).CONTAINER_IMAGE;
  }

  get #token(): string {
    return this.ctx.storage.kv.get<string>(TOKEN) ?? "";
  }

  /** Answers with the model of this image. Only a machine knows it the first time. */
  #describe(): Response {
    const kept = this.ctx.storage.kv.get<KeptModel>(MODEL);
    if (kept?.image === this.#image) return Response.json(kept.description);
    this.wake();
    return unavailable(this.machine());
  }

  #begin(): void {
    this.#isReady = false;
    this.#starting = this.#start().finally(() => {
      this.#starting = null;
    });
    this.ctx.waitUntil(this.#starting);
  }

  async #start(): Promise<void> {
    try {
      // A machine that an earlier instance of this object started has its token.
      if (!this.#isRunning) this.ctx.storage.kv.put(TOKEN, randomToken());
      this.envVars = machineEnvironment(settingsOf(this.env), this.#token);
      await this.startAndWaitForPorts({
        cancellationOptions: {
          instanceGetTimeoutMS: MACHINE_PATIENCE_MS,
          portReadyTimeoutMS: PORT_PATIENCE_MS,
        },
      });
      const description = await this.#loadedModel();
      const kept: KeptModel = { image: this.#image, description };
      this.ctx.storage.kv.put(MODEL, kept);
      this.#isReady = true;
      this.renewActivityTimeout();
      // The class's alarm deletes itself if a machine starts while it looks after one that has just stopped.
      await this.scheduleNextAlarm();
    } catch (error) {
      this.#pausedUntil = Date.now() + PAUSE_MS;
      log("error", "container_not_started", {
        instance: this.ctx.id.name ?? null,
        reason: reasonOf(error),
      });
      // A machine without a model would be paid for until somebody asks again.
      if (this.#isRunning) await this.stop("SIGKILL");
    }
  }

  /** Waits until the machine has loaded its model. A port that listens does not mean that it has. */
  async #loadedModel(): Promise<unknown> {
    for (let tries = 0; tries < MODEL_PATIENCE_MS / POLL_MS; tries += 1) {
      const response = await this.#ask(MODEL_PATH);
      if (response.ok) return await response.json();
      await response.body?.cancel();
      await scheduler.wait(POLL_MS);
    }
    throw new Error("The container's service loads no model. Its log says why.");
  }

  /** Returns whether a machine may not be stopped. One that gives no answer once may only be busy. */
  async #hasTasks(): Promise<boolean> {
    try {
      const { tasks } = Readiness.parse(await (await this.#ask("/readyz")).json());
      this.#silences = 0;
      return tasks > 0;
    } catch {
      this.#silences += 1;
      return this.#silences < SILENCES;
    }
  }

  /** Asks a machine that runs. Unlike the class's `containerFetch`, it neither starts one nor waits for one. */
  async #ask(path: string, init: RequestInit & { headers?: Headers } = {}): Promise<Response> {
    const { container } = this.ctx;
    if (container?.running !== true) throw new Error("The container stopped. Its log says why.");
    const { headers = new Headers(), signal = AbortSignal.timeout(ASK_MS) } = init;
    headers.set("authorization", `Bearer ${this.#token}`);
    return await container.getTcpPort(PORT).fetch(ORIGIN + path, { ...init, headers, signal });
  }
}

/** The part of the service's readiness that says whether it may sleep. */
const Readiness = z.object({ tasks: z.int() });

/** Read alone: with another setting wrong, a machine must still be put to sleep. */
const sleepSecondsOf = (env: object): number =>
  SettingsSchema.shape.CONTAINER_SLEEP_SECONDS.catch(300).parse(
    new Map(Object.entries(env)).get("CONTAINER_SLEEP_SECONDS"),
  );

const unavailable = (state: MachineState): Response =>
  Response.json(
    { error: `container_${state}`, message: "The container has no model yet. Try again later." },
    { status: 503, headers: { "retry-after": RETRY_SECONDS } },
  );
