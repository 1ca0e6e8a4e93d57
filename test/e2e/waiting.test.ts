import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { openLocalOperatorApi, type OperatorApi } from "../../scripts/shared/database/operator-api.ts";
import { createClient, type ApiClient } from "../../scripts/shared/api-client.ts";
import { stateFolder } from "../../scripts/shared/state/state-folder.ts";
import { JobStatus } from "../../src/jobs/contract/job.ts";
import { JobReport } from "../../src/jobs/contract/job-report.ts";
import { EventReader } from "../support/event-stream.ts";
import { sample } from "../support/media/sample.ts";
import { type SharedStack, useSharedStack } from "../support/stack/shared-stack.ts";

/** Long for a busy machine, and well before the comment by which a stream would notice it by itself. */
const SOON = { timeout: 10_000 };

describe("clients that wait for a job, by the whole stack", () => {
  let stack: SharedStack;
  let client: ApiClient;
  let operator: OperatorApi;
  beforeAll(async () => {
    stack = await useSharedStack();
    client = createClient(stack);
    operator = await openLocalOperatorApi(stateFolder(stack.stateDir));
  });

  const authorization = () => `Bearer ${stack.apiKey}`;

  /** A job of this many pictures of a cat. */
  async function newJob(pictures: number): Promise<string> {
    const cat = () => client.upload(sample("chelsea"), "image/png");
    const tasks = await Promise.all(Array.from({ length: pictures }, cat));
    return (await client.createImageJob({ tasks, prompts: ["cat"] })).jobId;
  }

  /** A request on a separate connection. */
  async function request(path: string, header = ""): Promise<Socket> {
    const { hostname, port } = new URL(stack.baseUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    const head = `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: ${authorization()}\r\n`;
    socket.write(`${head}${header}\r\n`);
    return socket;
  }

  it("are let go as soon as their connections close, and the others hear of the end [A1-4]", async () => {
    const jobId = await newJob(5);
    const waiters = async () => {
      const { waits, streams } = JobReport.parse(await operator.call("GET", `/jobs/${jobId}`));
      return { waits, streams };
    };
    const sockets = [
      await request(`/v1/jobs/${jobId}`, "prefer: wait=60\r\n"),
      await request(`/v1/jobs/${jobId}/events`),
      await request(`/v1/jobs/${jobId}/events`),
    ];
    const waiting = fetch(`${stack.baseUrl}/v1/jobs/${jobId}`, {
      headers: { authorization: authorization(), prefer: "wait=60" },
    });
    const listening = await fetch(`${stack.baseUrl}/v1/jobs/${jobId}/events`, {
      headers: { authorization: authorization() },
    });
    await expect.poll(waiters, SOON).toEqual({ waits: 2, streams: 3 });
    for (const socket of sockets) socket.destroy();
    await expect.poll(waiters, SOON).toEqual({ waits: 1, streams: 1 });

    await operator.call("POST", `/jobs/${jobId}/cancel`);
    const answer = await waiting;
    const job = JobStatus.parse(await answer.json());
    expect(answer.headers.get("preference-applied")).toBe("wait=60");
    expect(["success", "failed"]).toContain(job.status);
    const events = await new EventReader(listening.body).rest();
    expect(events.at(-1)).toMatchObject({ event: "end", data: job });
    expect(events.filter(({ event }) => event === "end")).toHaveLength(1);
  });
});
