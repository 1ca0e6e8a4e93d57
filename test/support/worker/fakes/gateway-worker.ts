import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, onTestFinished } from "vitest";
import {
  GATEWAY_PATH,
  type GatewayHello,
  GatewayRequest,
  PING,
  PROTOCOL,
  RoomRequest,
  TaskRequest,
} from "@segmentation/protocol";
import { GATEWAY } from "../../../../src/gateway/store/rpc.ts";
import { InferenceClient, objectNamed } from "../../../../src/models/store/inference-client.ts";
import { fetchWorker } from "../client/api.ts";
import { operate } from "../client/operator.ts";
import { overrideSettings } from "../runtime/settings.ts";
import { DESCRIPTION } from "./elsewhere.ts";
import { installPools } from "./simulated-pool.ts";

export const gateway = () => env.GATEWAY.getByName(GATEWAY);

/**
 * The service has the gateway as its only pool, for the rest of the test. Returns that pool. It begins without workers: a reset
 * may miss an object whose connections end only after the test.
 */
export async function installGateway(): Promise<InferenceClient> {
  for (const { name } of await gateway().listWorkers()) await gateway().removeWorker(name);
  overrideSettings({ INFERENCE_GATEWAY: true });
  const pool = new InferenceClient("gateway", objectNamed(env.GATEWAY, GATEWAY));
  installPools([pool]);
  return pool;
}

/** Adds a worker and returns its token. */
export async function newToken(name: string): Promise<string> {
  const { status, body } = await operate("POST", "/workers", { name });
  if (status !== 200) throw new Error(`adding ${name} answered ${status} ${JSON.stringify(body)}`);
  return body.token;
}

/** Opens a WebSocket to the gateway with a token. */
export async function dial(token: string): Promise<WebSocket> {
  const headers = { upgrade: "websocket", authorization: `Bearer ${token}` };
  const { webSocket, status } = await fetchWorker(
    new Request(`https://api.test${GATEWAY_PATH}`, { headers }),
  );
  if (webSocket === null) throw new Error(`the gateway answered ${status}`);
  webSocket.accept();
  return webSocket;
}

/** The end of a connection. */
export const closeOf = (socket: WebSocket): Promise<{ code: number; reason: string }> =>
  new Promise((resolve) =>
    socket.addEventListener("close", ({ code, reason }) => resolve({ code, reason }), { once: true }),
  );

interface Answer {
  readonly status: number;
  readonly body?: object;
}

/** A worker whose tasks a test ends. */
export class FakeWorker {
  readonly running = new Map<string, TaskRequest>();
  /** All that it ever took, by their keys. */
  readonly begun: string[] = [];
  readonly stopped: string[] = [];
  /** Requests that it got, by method and path. */
  readonly asked: string[] = [];
  /** Fixed answers that replace its own, by path. */
  readonly lies = new Map<string, Answer>();
  capacity: number;
  /** True to answer nothing. */
  isMute = false;
  socket: WebSocket;
  closed: ReturnType<typeof closeOf>;
  readonly #name: string;
  readonly #token: string;
  readonly #changes: Partial<GatewayHello>;

  private constructor(
    name: string,
    token: string,
    capacity: number,
    changes: Partial<GatewayHello>,
    socket: WebSocket,
  ) {
    this.#name = name;
    this.#token = token;
    this.capacity = capacity;
    this.#changes = changes;
    this.socket = socket;
    this.closed = closeOf(socket);
    this.#listen();
  }

  /** Connects a new worker. */
  static async start(name: string, capacity = 9, changes: Partial<GatewayHello> = {}): Promise<FakeWorker> {
    const token = await newToken(name);
    const worker = new FakeWorker(name, token, capacity, changes, await dial(token));
    onTestFinished(() => worker.socket.close());
    await worker.#greeted();
    return worker;
  }

  /** Connects again, as a service does after a loss. */
  async again(): Promise<void> {
    this.socket = await dial(this.#token);
    this.closed = closeOf(this.socket);
    this.#listen();
    await this.#greeted();
  }

  /** Waits until the gateway has accepted the hello or closed the connection. A pong proves neither: the runtime sends it. */
  async #greeted(): Promise<void> {
    const isWaiting = () =>
      runInDurableObject(gateway(), (_, state) =>
        state
          .getWebSockets(this.#name)
          .some((socket) => socket.readyState === WebSocket.OPEN && !socket.deserializeAttachment().isReady),
      );
    await expect.poll(isWaiting).toBe(false);
  }

  ping(): void {
    this.socket.send(PING);
  }

  send(frame: unknown): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** Ends a task, as after its last report. */
  end(key: string): void {
    this.running.delete(key);
    this.send({ type: "ended", key });
  }

  get hello(): GatewayHello {
    return {
      type: "hello",
      protocol: PROTOCOL,
      version: "0.1.0",
      device: "cpu",
      places: 3,
      model: { ...DESCRIPTION, vocabulary: "open" },
      tasks: [...this.running.keys()],
      ...this.#changes,
    };
  }

  #listen(): void {
    const { socket } = this;
    socket.addEventListener("message", ({ data }) => {
      if (data === "pong" || this.isMute) return;
      const request = GatewayRequest.parse(JSON.parse(String(data)));
      this.asked.push(`${request.method} ${request.path}`);
      const { status, body = {} } = this.#answer(request);
      this.send({ type: "answer", id: request.id, status, retryAfter: null, body: JSON.stringify(body) });
    });
    this.send(this.hello);
  }

  #answer({ method, path, body }: GatewayRequest): Answer {
    const lie = this.lies.get(path);
    if (lie !== undefined) return lie;
    if (method === "DELETE") {
      const key = path.slice(path.lastIndexOf("/") + 1);
      this.stopped.push(key);
      this.running.delete(key);
      return { status: 204 };
    }
    const content: unknown = JSON.parse(body ?? "");
    if (path === "/v1/room") {
      const { tasks } = RoomRequest.parse(content);
      const free = this.capacity - this.running.size;
      return { status: 200, body: { room: tasks.map((_, i) => i < free) } };
    }
    const task = TaskRequest.parse(content);
    const { key } = task;
    if (!this.running.has(key)) {
      if (this.running.size >= this.capacity) return { status: 429, body: { error: "lane_full" } };
      this.running.set(key, task);
      this.begun.push(key);
    }
    return { status: 202, body: { key, state: "queued" } };
  }
}
