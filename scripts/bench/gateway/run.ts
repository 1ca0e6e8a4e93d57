import { z } from "zod";
import {
  type GatewayAnswer,
  type GatewayHello,
  GATEWAY_PATH,
  GatewayRequest,
  PING,
  PING_MS,
  PONG,
  PROTOCOL,
} from "@segmentation/protocol";
import { SocketWithHeaders } from "../../../inference-container/src/gateway/connection.ts";
import type { BenchRequest } from "../arguments.ts";
import { withWorker } from "../capacity/with-worker.ts";
import { formatSpread, markdownTable, spread } from "../report.ts";

const WORKERS = [1, 10, 50];
const TASKS = 2_000;
const AT_ONCE = 20;
/** The time that a worker keeps a task, so that the next one goes to another. */
const TASK_MS = 50;
/** A request, its answer, and the end of the task. */
const MESSAGES_A_TASK = 3;

const HELLO: GatewayHello = {
  type: "hello",
  protocol: PROTOCOL,
  version: "bench",
  device: "none",
  places: 3,
  model: {
    protocol: PROTOCOL,
    id: "bench",
    version: "1",
    family: "builtin",
    provider: "cpu",
    vocabulary: "open",
    attributes: false,
    regions: { box: true, points: true, clips: true, examples: false },
    formats: [],
    capabilities: { types: ["image"], preview: true },
  },
  tasks: [],
};

const Task = z.object({ key: z.string() });

/** Connects a worker that takes every task and ends it soon. Resolves when it is connected. */
async function connect(origin: URL, token: string): Promise<WebSocket> {
  const url = new URL(GATEWAY_PATH, origin);
  url.protocol = "ws:";
  const socket = new SocketWithHeaders(url.href, { headers: { authorization: `Bearer ${token}` } });
  const ready = Promise.withResolvers<void>();
  socket.addEventListener("error", () => ready.reject(new Error("The gateway took no connection.")));
  socket.addEventListener("open", () => {
    socket.send(JSON.stringify(HELLO));
    socket.send(PING);
    const timer = setInterval(() => socket.send(PING), PING_MS);
    socket.addEventListener("close", () => clearInterval(timer));
  });
  socket.addEventListener("message", ({ data }) => {
    if (data === PONG) return ready.resolve();
    const { id, body } = GatewayRequest.parse(JSON.parse(String(data)));
    const { key } = Task.parse(JSON.parse(body ?? ""));
    const answer = { type: "answer", id, status: 202, retryAfter: null } as const;
    const state = JSON.stringify({ key, state: "queued" });
    socket.send(JSON.stringify({ ...answer, body: state } satisfies GatewayAnswer));
    setTimeout(() => socket.send(JSON.stringify({ type: "ended", key })), TASK_MS);
  });
  await ready.promise;
  return socket;
}

/** Measures how many tasks and messages per second one gateway relays. Returns the report's lines. */
export async function benchGateway({ rounds }: BenchRequest, signal: AbortSignal): Promise<string[]> {
  const lines: string[][] = [];
  await withWorker(
    signal,
    {},
    async ({ call, origin }) => {
      const { tokens } = z
        .object({ tokens: z.array(z.string()) })
        .parse(await call({ do: "add", workers: Math.max(...WORKERS) }));
      const sockets: WebSocket[] = [];
      for (const workers of WORKERS) {
        for (const token of tokens.slice(sockets.length, workers)) sockets.push(await connect(origin, token));
        const perSecond: number[] = [];
        let taken = 0;
        for (let round = 0; round < rounds; round += 1) {
          const begun = performance.now();
          const answer = await call({ do: "offer", tasks: TASKS, atOnce: AT_ONCE });
          perSecond.push((TASKS * 1_000) / (performance.now() - begun));
          taken += z.object({ taken: z.int() }).parse(answer).taken;
        }
        const messages = perSecond.map((tasks) => tasks * MESSAGES_A_TASK);
        const share = `${Math.round((100 * taken) / (TASKS * rounds))} %`;
        lines.push([
          String(workers),
          formatSpread(spread(perSecond), 0),
          formatSpread(spread(messages), 0),
          share,
        ]);
      }
      await new Promise((resolve) => setTimeout(resolve, 2 * TASK_MS));
      for (const socket of sockets) socket.close();
    },
    "gateway.ts",
  );
  return [
    "",
    `One gateway, ${TASKS} tasks a round, ${AT_ONCE} offers at once; a task is ${MESSAGES_A_TASK} messages: request, answer, end.`,
    "",
    ...markdownTable(["connected workers", "tasks per second", "messages per second", "taken"], lines),
  ];
}
