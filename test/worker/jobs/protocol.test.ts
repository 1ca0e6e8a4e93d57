import { PROTOCOL } from "@segmentation/protocol";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { ring } from "../../support/worker/fixtures/archives.ts";
import { logged } from "../../support/worker/runtime/crons.ts";
import { DESCRIPTION } from "../../support/worker/fakes/elsewhere.ts";
import {
  callBack,
  deliver,
  deliverTask,
  FakeInference,
  success,
} from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { later } from "../../support/worker/runtime/time.ts";

const mismatch = () => Response.json({ error: "protocol_mismatch" }, { status: 412 });
const invalid = () => Response.json({ error: "invalid_request" }, { status: 400 });
const { protocol: _, ...withoutVersion } = DESCRIPTION;

let client: Client;
let inference: FakeInference;
let jobId: string;
let taskId: string;
let lines: ReturnType<typeof logged>;
beforeEach(async () => {
  client = await newClient();
  inference = new FakeInference();
  ({ jobId, taskId } = await newJob(client));
  lines = logged();
});

const task = async () => (await client.send("GET", `/v1/jobs/${jobId}`)).body.tasks[0];

describe("while the inference service speaks another version of the protocol", () => {
  it.each([
    ["that it compares itself", mismatch, DESCRIPTION, "status 412 protocol_mismatch"],
    [
      "and only refuses the task",
      invalid,
      { ...DESCRIPTION, protocol: PROTOCOL + 1 },
      `protocol_mismatch: the inference service speaks version ${PROTOCOL + 1}, the Worker ${PROTOCOL}`,
    ],
    [
      "older than versions",
      invalid,
      withoutVersion,
      `protocol_mismatch: the inference service speaks version 0, the Worker ${PROTOCOL}`,
    ],
  ])("%s, a task waits and loses no attempt, and the log says why", async (_case, answer, model, reason) => {
    inference.answer = answer;
    inference.model = () => Response.json(model);
    for (let offer = 0; offer < 5; offer += 1) {
      await deliverTask(jobId, taskId);
      expect(await task()).toMatchObject({ status: "queued", error: null });
      later(50_000);
      await ring(jobId);
    }
    expect(lines()).toContainEqual(
      expect.objectContaining({ level: "warn", event: "inference_busy", jobId, taskId, reason }),
    );
    inference.answer = () => Response.json({}, { status: 202 });
    await deliverTask(jobId, taskId);
    await callBack(inference.last, "complete", success());
    expect(await task()).toMatchObject({ status: "success" });
  });

  it("its question for room puts off a batch, and the log says why", async () => {
    inference.room = mismatch;
    const waiting = { lane: "interactive", type: "image", account: client.accountId, acceptedAt: 1 };
    const result = await deliver("segmentation-interactive", { v: 1, jobId, taskId, waiting });
    expect(result).toMatchObject({ retryMessages: { length: 1 } });
    expect(inference.tasks).toEqual([]);
    expect(lines()).toContainEqual(
      expect.objectContaining({
        level: "warn",
        event: "tasks_put_off",
        why: "away",
        reason: "status 412 protocol_mismatch",
      }),
    );
  });
});

it("a task that a service of the same version refuses fails", async () => {
  inference.answer = invalid;
  inference.model = () => Response.json(DESCRIPTION);
  await deliverTask(jobId, taskId);
  expect(await task()).toMatchObject({ status: "failed", error: expect.stringMatching(/^task_refused: /) });
});

it("each request to the service says the Worker's version", async () => {
  await deliverTask(jobId, taskId);
  const [, init] = vi.mocked(globalThis.fetch).mock.calls.at(-1) ?? [];
  expect(new Headers(init?.headers).get("x-protocol")).toBe(String(PROTOCOL));
});
