import {
  DecoderRequest,
  type GatewayAnswer,
  PICTURE_HEADER,
  PROTOCOL,
  parsedJson,
  PROTOCOL_HEADER,
  RoomAnswer,
  RoomRequest,
  TaskRequest,
  TaskState,
} from "@segmentation/protocol";
import { unionOf } from "../../models/rules/serves.ts";
import { RecentMap } from "../../shared/recent-map.ts";
import { byLoad, inOrder, type Candidate } from "../rules/order.ts";
import type { GatewayStorage } from "../store/storage.ts";
import type { Connections } from "./connections.ts";
import type { Relay } from "./relay.ts";

/** A worker that can be offered tasks. */
interface Ready extends Candidate {
  readonly socket: WebSocket;
}

/** The most workers that are asked one after the other for one request. */
const MOST_ASKED = 8;
/** A worker without room in a lane is left out until it ends a task, or for this time. */
const FULL_MS = 2_000;
const MOST_FULL = 1_000;
/** The first callbacks of any others end them. */
const MOST_STOPPED = 100;

const refusal = (status: number, error: string, retryAfter: number | null = null): Response =>
  Response.json(
    { error },
    { status, ...(retryAfter !== null && { headers: { "retry-after": String(retryAfter) } }) },
  );

const noWorker = (): Response => refusal(503, "no_worker", 5);
/** The Worker then cancels the task, because a worker may have taken it. */
const unanswered = (): Response => refusal(504, "unanswered");

const responseOf = ({ status, retryAfter, body }: GatewayAnswer): Response =>
  new Response(status === 204 ? null : body, {
    status,
    headers: {
      "content-type": "application/json",
      ...(retryAfter !== null && { "retry-after": String(retryAfter) }),
    },
  });

/** The protocol of the inference service, answered by the connected workers together. */
export class Offers {
  readonly #storage: GatewayStorage;
  readonly #connections: Connections;
  readonly #relay: Relay;
  readonly #misbehaved: (socket: WebSocket, sentence: string) => void;
  /** By worker and lane. */
  readonly #full = new RecentMap<true>(MOST_FULL, FULL_MS);

  constructor(
    storage: GatewayStorage,
    connections: Connections,
    relay: Relay,
    misbehaved: (socket: WebSocket, sentence: string) => void,
  ) {
    this.#storage = storage;
    this.#connections = connections;
    this.#relay = relay;
    this.#misbehaved = misbehaved;
  }

  async answer(request: Request): Promise<Response> {
    const { pathname: path } = new URL(request.url);
    const body = await request.text();
    const headers: Record<string, string> = { "content-type": "application/json" };
    for (const name of [PROTOCOL_HEADER, PICTURE_HEADER]) {
      const value = request.headers.get(name);
      if (value !== null) headers[name] = value;
    }
    const task = /^\/v1\/tasks\/([^/]+)$/.exec(path)?.[1];
    if (request.method === "POST" && path === "/v1/tasks") return this.#offer(body, headers);
    if (request.method === "POST" && path === "/v1/room") return this.#room(body, headers);
    if (request.method === "POST" && path === "/v1/decoder") return this.#decoder(body, headers);
    if (request.method === "GET" && path === "/v1/model") return this.#model();
    if (request.method === "DELETE" && task !== undefined) return this.#cancel(task, headers);
    return refusal(404, "not_found");
  }

  /** Forgets that a worker was full: it has ended a task. */
  madeRoom(name: string): void {
    for (const lane of ["interactive", "bulk", "trial"]) this.#full.delete(`${name} ${lane}`);
  }

  /** Stops tasks that a worker has, but holds no lease of. */
  async stop(socket: WebSocket, keys: readonly string[]): Promise<void> {
    const headers = { [PROTOCOL_HEADER]: String(PROTOCOL) };
    await Promise.all(
      keys
        .slice(0, MOST_STOPPED)
        .map((key) =>
          this.#relay.ask(socket, { method: "DELETE", path: `/v1/tasks/${key}`, headers, body: null }),
        ),
    );
  }

  #ready(): Ready[] {
    const now = Date.now();
    return this.#storage.workers().flatMap(({ name, hello, held }) => {
      const socket = hello === null ? null : this.#connections.of(name);
      if (hello === null || socket === null || this.#connections.isSilent(socket, now)) return [];
      return [{ name, socket, model: hello.model, places: hello.places, held }];
    });
  }

  async #offer(body: string, headers: Record<string, string>): Promise<Response> {
    const task = TaskRequest.safeParse(parsedJson(body)).data;
    if (task === undefined) return refusal(400, "invalid_request");
    const { key, lane } = task;
    const picture = headers[PICTURE_HEADER] ?? null;
    const ready = this.#ready();
    const holder = this.#storage.holderOf(key);
    const familiar = picture === null ? null : this.#storage.familiarWith(picture);
    // A repeated offer goes to the worker that has the task.
    const asked =
      holder === null ? inOrder(ready, task, familiar) : ready.filter(({ name }) => name === holder);
    if (asked.length === 0) return noWorker();
    let refused: Response = refusal(429, "lane_full", 2);
    const withRoom = asked.filter(({ name }) => holder !== null || !this.#isFull(name, lane));
    for (const { name, socket } of withRoom.slice(0, MOST_ASKED)) {
      const answer = await this.#relay.ask(socket, { method: "POST", path: "/v1/tasks", headers, body });
      if (answer === null) return unanswered();
      const { status } = answer;
      if (status < 400) {
        if (status !== 202 || TaskState.safeParse(parsedJson(answer.body)).data?.key !== key) {
          this.#misbehaved(socket, "The service accepted another task than it was offered.");
          return unanswered();
        }
        if (this.#connections.of(name) !== socket) return unanswered();
        this.#storage.take(key, name, picture);
        return responseOf(answer);
      }
      if (status === 400 || status === 409) return responseOf(answer);
      if (status === 429 || status === 503) this.#full.put(`${name} ${lane}`, true, Date.now());
      refused = responseOf(answer);
    }
    return refused;
  }

  /** The next worker is only asked about tasks that have no room at those before it. */
  async #room(body: string, headers: Record<string, string>): Promise<Response> {
    const request = RoomRequest.safeParse(parsedJson(body)).data;
    const [first] = request?.tasks ?? [];
    if (request === undefined || first === undefined) return refusal(400, "invalid_request");
    const ready = byLoad(this.#ready());
    if (ready.length === 0) return noWorker();
    const room = request.tasks.map(() => false);
    let refused: Response | null = null;
    const asked = ready.filter(({ name }) => !this.#isFull(name, first.lane)).slice(0, MOST_ASKED);
    for (const { name, socket } of asked) {
      const left = request.tasks.flatMap((task, i) => (room[i] === true ? [] : [{ task, i }]));
      if (left.length === 0) break;
      const tasks = left.map(({ task }) => task);
      const answer = await this.#relay.ask(socket, {
        method: "POST",
        path: "/v1/room",
        headers,
        body: JSON.stringify({ tasks } satisfies RoomRequest),
      });
      if (answer === null || answer.status >= 400) {
        refused = answer === null ? noWorker() : responseOf(answer);
        this.#full.put(`${name} ${first.lane}`, true, Date.now());
        continue;
      }
      const found = RoomAnswer.safeParse(parsedJson(answer.body)).data?.room ?? [];
      if (found.length !== tasks.length)
        this.#misbehaved(socket, "The service answered the question for room with something else.");
      if (!found.includes(true)) this.#full.put(`${name} ${first.lane}`, true, Date.now());
      for (const [place, { i }] of left.entries()) room[i] = found[place] === true;
    }
    if (refused !== null && !room.includes(true)) return refused;
    return Response.json({ room } satisfies RoomAnswer);
  }

  /** Asks a worker whose model has a decoder's file to store it. */
  async #decoder(body: string, headers: Record<string, string>): Promise<Response> {
    const request = DecoderRequest.safeParse(parsedJson(body)).data;
    if (request === undefined) return refusal(400, "invalid_request");
    const worker = byLoad(this.#ready()).find(({ model }) => model.decoder?.sha256 === request.sha256);
    if (worker === undefined) return noWorker();
    const answer = await this.#relay.ask(worker.socket, {
      method: "POST",
      path: "/v1/decoder",
      headers,
      body,
    });
    return answer === null ? unanswered() : responseOf(answer);
  }

  #model(): Response {
    const [first, ...others] = this.#ready().map(({ model }) => model);
    return first === undefined ? noWorker() : Response.json(unionOf([first, ...others]));
  }

  /** Stops a task at the worker that has it; at all of them if none is known to. */
  async #cancel(key: string, headers: Record<string, string>): Promise<Response> {
    const holder = this.#storage.holderOf(key);
    if (holder !== null) this.#storage.drop(key, holder);
    const asked = this.#ready().filter(({ name }) => holder === null || name === holder);
    await Promise.all(
      asked.map(({ socket }) =>
        this.#relay.ask(socket, { method: "DELETE", path: `/v1/tasks/${key}`, headers, body: null }),
      ),
    );
    return new Response(null, { status: 204 });
  }

  #isFull(name: string, lane: string): boolean {
    return this.#full.get(`${name} ${lane}`, Date.now()) !== undefined;
  }
}
