import { createServer } from "node:http";
import { once } from "node:events";

/** An inference service that takes every task and does nothing with it. */
export interface IdleService {
  readonly url: string;
  /** Resolves once as many tasks more have been offered. */
  readonly taken: (tasks: number) => Promise<void>;
  readonly close: () => void;
}

/** Starts one on a free port: what is measured beside it then has the processor for itself. */
export async function startIdleService(): Promise<IdleService> {
  let waiting: { tasks: number; done: () => void } | undefined;
  const server = createServer((request, response) => {
    request.resume();
    const isTask = request.method === "POST";
    response.writeHead(isTask ? 202 : 200, { "content-type": "application/json" }).end("{}");
    if (!isTask || waiting === undefined) return;
    waiting.tasks -= 1;
    if (waiting.tasks === 0) waiting.done();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The service has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    taken: (tasks) => new Promise((done) => void (waiting = { tasks, done })),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
