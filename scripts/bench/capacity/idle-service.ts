import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { TaskRequest } from "@segmentation/protocol";
import { listen } from "../../shared/listen.ts";

/** An inference service that takes every task and only calls `onTask`. */
export interface IdleService {
  readonly url: string;
  readonly close: () => void;
}

/** Starts one on a free port. It is too old to report its room. */
export async function startIdleService(onTask: (task: TaskRequest) => void): Promise<IdleService> {
  const server = createServer((request, response) => {
    const answer = (status: number) =>
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    if (request.method !== "POST" || request.url === "/v1/room") {
      request.resume();
      answer(request.method === "POST" ? 404 : 200);
      return;
    }
    void json(request).then((body) => {
      answer(202);
      return onTask(TaskRequest.parse(body));
    });
  });
  return {
    url: await listen(server),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
