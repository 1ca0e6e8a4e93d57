import { GATEWAY_PATH, PICTURE_HEADER, type TaskRequest } from "@segmentation/protocol";
import { z } from "zod";
import type { Env } from "../../../src/env.ts";
import { GATEWAY } from "../../../src/gateway/store/rpc.ts";

export { AccountStreams, InferenceGateway, JobObject } from "../../../src/index.ts";

/** Runs the gateway in the Workers runtime, and offers it tasks. */

const Command = z.discriminatedUnion("do", [
  z.object({ do: z.literal("add"), workers: z.int() }),
  z.object({ do: z.literal("offer"), tasks: z.int(), atOnce: z.int() }),
]);

console.log = () => undefined;

const taskOf = (number: number): TaskRequest => ({
  key: `job_bench.${number}.png.1`,
  lane: "bulk",
  account: "acct_bench",
  acceptedAt: Date.now(),
  inputUrl: "https://storage.example.com/input.png",
  callbackUrl: "https://api.example.com/internal/leases",
  callbackToken: "t".repeat(400),
  deadline: Date.now() + 60_000,
  type: "image",
  prompts: ["cat"],
  generatePreview: false,
  threshold: 0.5,
  maskThreshold: 0.5,
  limits: { inputBytes: 1, inputPixels: 1, masks: 1 },
});

/** Offers a task, and counts it as refused unless a worker took it. */
async function offer({ GATEWAY: gateways }: Env, number: number): Promise<boolean> {
  const answer = await gateways.getByName(GATEWAY).fetch("https://inference.internal/v1/tasks", {
    method: "POST",
    headers: { [PICTURE_HEADER]: String(number) },
    body: JSON.stringify(taskOf(number)),
  });
  await answer.body?.cancel();
  return answer.status === 202;
}

let offered = 0;

async function obey(env: Env, command: z.infer<typeof Command>): Promise<unknown> {
  if (command.do === "add") {
    const tokens: string[] = [];
    for (let i = 0; i < command.workers; i += 1)
      tokens.push((await env.GATEWAY.getByName(GATEWAY).addWorker(`bench-${i}`))?.token ?? "");
    return { tokens };
  }
  const until = offered + command.tasks;
  let taken = 0;
  const line = async (): Promise<void> => {
    while (offered < until) {
      offered += 1;
      if (await offer(env, offered)) taken += 1;
    }
  };
  await Promise.all(Array.from({ length: command.atOnce }, line));
  return { taken };
}

export default {
  fetch: async (request, env) =>
    new URL(request.url).pathname === GATEWAY_PATH
      ? env.GATEWAY.getByName(GATEWAY).fetch(request)
      : Response.json(await obey(env, Command.parse(await request.json()))),
  queue: () => undefined,
} satisfies ExportedHandler<Env>;
