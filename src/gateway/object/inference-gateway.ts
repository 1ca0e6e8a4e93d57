import { DurableObject } from "cloudflare:workers";
import {
  BUSY_PAUSE_MS,
  fitsFrame,
  GATEWAY_CLOSE,
  GATEWAY_PATH,
  parsedJson,
  PING,
  PONG,
  ServiceFrame,
} from "@segmentation/protocol";
import type { Env } from "../../env.ts";
import { platformOf } from "../../platform.ts";
import { sha256Hex } from "../../shared/digest.ts";
import { randomToken } from "../../shared/random-token.ts";
import { RecentMap } from "../../shared/recent-map.ts";
import { log, reasonOf } from "../../shared/log.ts";
import type { ConnectedWorker, NewWorker } from "../contract/workers.ts";
import { handshakeOf } from "../rules/handshake.ts";
import type { GatewayRpc } from "../store/rpc.ts";
import { GatewayStorage } from "../store/storage.ts";
import { Connections } from "./connections.ts";
import { takeBack } from "./lost-leases.ts";
import { Offers } from "./offers.ts";
import { Relay } from "./relay.ts";

const MOST_WORKERS = 200;
/** The period of the alarm while leases are out. */
const CHECK_MS = 10_000;
/** A connection that broke may come back at once, with its tasks: a long video should not start again for a short outage. */
const BROKEN_MS = 2_000;
/** After a restart of the Worker: longer than the pause of a service that has tasks, and than its handshake. */
const RESTARTED_MS = BUSY_PAUSE_MS + 2_000;

/** A worker that broke the protocol is refused for this time. */
const CUT_OFF_MS = 60_000;

const UNKNOWN_TOKEN = "This token is unknown or revoked. Get another with: npm run admin -- add-worker";

/** The close codes by which a service ends its connection by itself. */
const INTENDED = new Set([1000, 1001]);

/**
 * The gateway of inference services that connect by one outbound WebSocket, the workers. It answers the protocol of the inference
 * service for all of them. It hibernates while no request is on its way.
 */
export class InferenceGateway extends DurableObject<Env> implements GatewayRpc {
  readonly #storage = new GatewayStorage(this.ctx.storage);
  readonly #connections = new Connections(this.ctx);
  readonly #relay = new Relay();
  readonly #offers = new Offers(this.#storage, this.#connections, this.#relay, (socket, sentence) =>
    this.#cutOff(socket, sentence),
  );

  readonly #cutOffs = new RecentMap<true>(MOST_WORKERS, CUT_OFF_MS);

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
    void ctx.blockConcurrencyWhile(async () => {
      await this.#storage.alarm.load();
      await this.#expectBack();
    });
  }

  /** Gives workers with leases a time to come back. A restart of the Worker closes their connections without an event. */
  async #expectBack(): Promise<void> {
    const end = Date.now() + RESTARTED_MS;
    for (const { name, held, endsAt } of this.#storage.workers())
      if (held > 0 && endsAt === null && this.#connections.of(name) === null) this.#storage.setEnd(name, end);
    await this.#watch();
  }

  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname.endsWith(GATEWAY_PATH)) return this.#connect(request);
    const answer = await this.#offers.answer(request);
    const { alarm } = this.#storage;
    if (answer.status === 202 && alarm.setFor === null) await alarm.set(Date.now() + CHECK_MS);
    return answer;
  }

  async addWorker(name: string): Promise<NewWorker | null> {
    if (this.#storage.workers().length >= MOST_WORKERS) return null;
    const token = `wkr_${randomToken()}`;
    return this.#storage.add(name, await sha256Hex(token)) ? { name, token } : null;
  }

  listWorkers(): ConnectedWorker[] {
    const now = Date.now();
    return this.#storage.workers().map(({ name, hello, held }) => {
      const socket = this.#connections.of(name);
      const isConnected = socket !== null && !this.#connections.isSilent(socket, now);
      return {
        name,
        isConnected,
        model: hello === null ? null : `${hello.model.id} ${hello.model.version}`,
        device: hello?.device ?? null,
        version: hello?.version ?? null,
        tasks: held,
        connectedSince: socket !== null && isConnected ? this.#connections.about(socket).since : null,
      };
    });
  }

  async removeWorker(name: string): Promise<boolean> {
    const isKnown = this.#storage.remove(name);
    this.#connections.closeAll(name, GATEWAY_CLOSE.revoked, UNKNOWN_TOKEN);
    await this.#takeBack(name);
    return isKnown;
  }

  async #connect(request: Request): Promise<Response> {
    const token = /^Bearer ([\x21-\x7e]{1,200})$/.exec(request.headers.get("authorization") ?? "")?.[1];
    const name = token === undefined ? null : this.#storage.nameBy(await sha256Hex(token));
    const { 0: client, 1: server } = new WebSocketPair();
    if (name === null) {
      // A WebSocket's client learns the reason only from a close frame.
      server.accept();
      server.close(GATEWAY_CLOSE.revoked, UNKNOWN_TOKEN);
    } else if (this.#cutOffs.get(name, Date.now()) === true) {
      server.accept();
      server.close(GATEWAY_CLOSE.misbehaved, "The service broke the protocol a minute ago.");
    } else this.#connections.accept(name, server, Date.now());
    return new Response(null, { status: 101, webSocket: client });
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    if (this.#connections.isClosed(socket)) return;
    if (typeof message !== "string" || !fitsFrame(message))
      return this.#cutOff(socket, "A frame is text of at most 1 MiB.");
    const content = parsedJson(message);
    if (content === undefined) return this.#cutOff(socket, "A frame is JSON.");
    const { isReady, name } = this.#connections.about(socket);
    if (!isReady) return this.#greet(socket, name, content);
    const frame = ServiceFrame.safeParse(content).data;
    if (frame === undefined || frame.type === "hello")
      return this.#cutOff(socket, "A frame is an answer or the end of a task.");
    if (frame.type === "answer") {
      const taken = this.#relay.answer(socket, frame);
      if (taken === "taken") return;
      if (taken === "foreign") return this.#cutOff(socket, "The service answered for another one.");
    } else if (this.#storage.drop(frame.key, name)) {
      this.#offers.madeRoom(name);
      return;
    }
    if (!this.#connections.admitsUnasked(socket, Date.now()))
      this.#cutOff(socket, "The service sends too many frames.");
  }

  /** Takes the first frame of a connection. The worker keeps the leases of the tasks that it still has. */
  async #greet(socket: WebSocket, name: string, content: unknown): Promise<void> {
    const handshake = handshakeOf(content);
    if (handshake.outcome === "misbehaved") return this.#cutOff(socket, handshake.sentence);
    if (handshake.outcome === "incompatible") {
      log("warn", "worker_refused", { worker: name, reason: handshake.sentence });
      return this.#connections.close(socket, GATEWAY_CLOSE.incompatible, handshake.sentence);
    }
    const { hello } = handshake;
    if (!this.#storage.has(name))
      return this.#connections.close(socket, GATEWAY_CLOSE.revoked, UNKNOWN_TOKEN);
    this.#connections.makeReady(socket);
    this.#storage.connected(name, hello);
    log("info", "worker_connected", { worker: name, model: hello.model.id, device: hello.device });
    const has = new Set(hello.tasks);
    const leases = new Set(this.#storage.leasesOf(name));
    await this.#takeBack(
      name,
      [...leases].filter((key) => !has.has(key)),
    );
    await this.#offers.stop(
      socket,
      [...has].filter((key) => !leases.has(key)),
    );
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    await this.#gone(socket, INTENDED.has(code));
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    await this.#gone(socket, false);
  }

  async #gone(socket: WebSocket, isIntended: boolean): Promise<void> {
    const isClosedHere = this.#connections.isClosed(socket);
    this.#connections.close(socket, 1000, "");
    this.#relay.gone(socket);
    const { name, isReady } = this.#connections.about(socket);
    if (isClosedHere || !isReady || this.#connections.of(name) !== null) return;
    log("info", "worker_disconnected", { worker: name, intended: isIntended });
    if (isIntended) return this.#takeBack(name);
    this.#storage.setEnd(name, Date.now() + BROKEN_MS);
    await this.#watch();
  }

  /** Closes the connection of a worker that breaks the protocol, and takes its leases back. */
  #cutOff(socket: WebSocket, sentence: string): void {
    const { name } = this.#connections.about(socket);
    log("warn", "worker_cut_off", { worker: name, reason: sentence });
    this.#cutOffs.put(name, true, Date.now());
    this.#connections.close(socket, GATEWAY_CLOSE.misbehaved, sentence);
    this.#relay.gone(socket);
    if (this.#connections.of(name) === null) this.ctx.waitUntil(this.#takeBack(name));
  }

  async #takeBack(name: string, keys: readonly string[] = this.#storage.leasesOf(name)): Promise<void> {
    await takeBack(platformOf(this.env), this.#storage, name, keys);
    if (this.#storage.leasesOf(name).length > 0) await this.#watch();
  }

  /** Takes back the leases of workers that are silent or away. Never throws: the platform drops an alarm that throws too often. */
  override async alarm(): Promise<void> {
    this.#storage.alarm.wentOff();
    try {
      for (const holder of this.#storage.workers().filter(({ held }) => held > 0))
        await this.#check(holder.name, holder.endsAt, Date.now());
    } catch (error) {
      log("error", "alarm_failed", { object: this.ctx.id.name, reason: reasonOf(error) });
    }
    await this.#watch();
  }

  async #check(name: string, endsAt: number | null, now: number): Promise<void> {
    const socket = this.#connections.of(name);
    if (socket !== null && !this.#connections.isSilent(socket, now)) return;
    if (socket !== null) {
      log("warn", "worker_silent", { worker: name });
      this.#connections.close(socket, GATEWAY_CLOSE.silent, "The gateway heard no ping for 15 seconds.");
      this.#relay.gone(socket);
      return this.#takeBack(name);
    }
    if (endsAt === null || endsAt <= now) await this.#takeBack(name);
  }

  /** Sets the alarm while leases are out. */
  async #watch(): Promise<void> {
    const holders = this.#storage.workers().filter(({ held }) => held > 0);
    if (holders.length === 0) return;
    const now = Date.now();
    const ends = holders.flatMap(({ endsAt }) => (endsAt === null ? [] : [Math.max(endsAt, now)]));
    const at = Math.min(now + CHECK_MS, ...ends);
    const { alarm } = this.#storage;
    if (alarm.setFor === null || at < alarm.setFor) await alarm.set(at);
  }
}
