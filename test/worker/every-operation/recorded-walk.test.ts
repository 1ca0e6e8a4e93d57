import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { deliverArchive } from "../../support/worker/fixtures/archives.ts";
import {
  failure,
  finishJob,
  FakeInference,
  success,
  videoSuccess,
} from "../../support/worker/fakes/inference.ts";
import { imageJob, MP4, PNG, videoJob } from "../../support/worker/fixtures/jobs.ts";
import { Recorder } from "../../support/worker/runtime/recorder.ts";
import { FakeStripe } from "../../support/worker/fakes/stripe.ts";
import recorded from "./recorded-walk.json";

/*
 * The walk was recorded before anything was added to the fourteen operations, and is not recorded again: a client that uses none
 * of the additions must get the exact bytes that it was written for.
 */
it("the fourteen operations answer a client that uses no addition byte for byte as recorded [A4-3]", async () => {
  const recorder = new Recorder();
  const [paid, trial, other] = [await newClient("paid"), await newClient("trial"), await newClient("paid")];
  const key = (name: string) => ({ "idempotency-key": name });

  const picture = async (client: typeof paid, contentType = "image/png", bytes: BufferSource = PNG) => {
    const { taskId } = await recorder.send("presign", client, "POST", "/v1/uploads/presign", { contentType });
    await env.MEDIA.put(inputKey(client.accountId, taskId), bytes);
    return String(taskId);
  };

  await recorder.send("presign: no credential", null, "POST", "/v1/uploads/presign", {
    contentType: "image/png",
  });
  await recorder.send("presign: not a medium", paid, "POST", "/v1/uploads/presign", {
    contentType: "text/html",
  });
  const taskIds = [await picture(paid), await picture(paid, "image/jpeg")];
  const missing = await recorder.send("presign", paid, "POST", "/v1/uploads/presign", {
    contentType: "image/webp",
  });

  await recorder.send(
    "create: unknown field",
    paid,
    "POST",
    "/v1/jobs",
    imageJob(taskIds, { colour: "red" }),
  );
  await recorder.send("create: no prompts", paid, "POST", "/v1/jobs", imageJob(taskIds, { prompts: [] }));
  await recorder.send("create: not uploaded", paid, "POST", "/v1/jobs", imageJob([missing.taskId]));
  await recorder.send("create: foreign", other, "POST", "/v1/jobs", imageJob(taskIds));
  const asked = imageJob(taskIds, { prompts: ["cat", "dog"], generatePreview: true });
  const { jobId } = await recorder.send("create", paid, "POST", "/v1/jobs", asked, key("walk"));
  await recorder.send("create: again", paid, "POST", "/v1/jobs", asked, key("walk"));
  await recorder.send(
    "create: same key, other body",
    paid,
    "POST",
    "/v1/jobs",
    imageJob(taskIds),
    key("walk"),
  );
  await recorder.send("status: queued", paid, "GET", `/v1/jobs/${jobId}`);
  await recorder.send("result: too early", paid, "GET", `/v1/jobs/${jobId}/result`);
  await recorder.send("download: too early", paid, "POST", `/v1/jobs/${jobId}/download`);
  const inference = new FakeInference();
  await finishJob(inference, paid.accountId, jobId, taskIds, (taskId) =>
    taskId === taskIds[0] ? success(2, { preview: "preview.png" }) : failure(false),
  );
  await recorder.send("status: success", paid, "GET", `/v1/jobs/${jobId}`);
  await recorder.send("status: foreign", other, "GET", `/v1/jobs/${jobId}`);
  await recorder.send("result", paid, "GET", `/v1/jobs/${jobId}/result`);
  await recorder.send("download: not requested", paid, "GET", `/v1/jobs/${jobId}/download`);
  await recorder.send("download", paid, "POST", `/v1/jobs/${jobId}/download`);
  await recorder.send("download: pending", paid, "GET", `/v1/jobs/${jobId}/download`);
  await deliverArchive(jobId);
  await recorder.send("download: ready", paid, "GET", `/v1/jobs/${jobId}/download`);

  const clip = await picture(paid, "video/mp4", MP4);
  await recorder.send(
    "create: fields of the other type",
    paid,
    "POST",
    "/v1/jobs",
    videoJob(clip, { threshold: 0.5 }),
  );
  const video = await recorder.send("create: video", paid, "POST", "/v1/jobs", videoJob(clip, { fps: 2 }));
  await finishJob(inference, paid.accountId, video.jobId, [clip], () =>
    videoSuccess(7, { framesWithMasks: 5, totalMasks: 9 }),
  );
  await recorder.send("status: video", paid, "GET", `/v1/jobs/${video.jobId}`);
  await recorder.send("result: video", paid, "GET", `/v1/jobs/${video.jobId}/result`);
  const failing = await picture(paid);
  const failed = await recorder.send("create", paid, "POST", "/v1/jobs", imageJob([failing]));
  await finishJob(inference, paid.accountId, failed.jobId, [failing], () => failure(false));
  await recorder.send("status: failed", paid, "GET", `/v1/jobs/${failed.jobId}`);
  await recorder.send("list", paid, "GET", "/v1/jobs?limit=2");
  await recorder.send("list: filtered", paid, "GET", "/v1/jobs?mode=video&status=success");
  await recorder.send("list: out of range", paid, "GET", "/v1/jobs?limit=101");

  await recorder.send(
    "trial: too many",
    trial,
    "POST",
    "/v1/jobs",
    imageJob(taskIds.concat(taskIds, taskIds)),
  );
  const tried = await picture(trial);
  await recorder.send("create: trial", trial, "POST", "/v1/jobs", imageJob([tried]));
  await recorder.send("create: second of a trial", trial, "POST", "/v1/jobs", imageJob([tried]));

  await recorder.send("account", paid, "GET", "/v1/account");
  await recorder.send("overview", paid, "GET", "/v1/account/overview");
  await recorder.send("overview: trial", trial, "GET", "/v1/account/overview");
  await recorder.send("key: without Idempotency-Key", paid, "POST", "/v1/api-keys", { label: "laptop" });
  const made = await recorder.send("key", paid, "POST", "/v1/api-keys", { label: "laptop" }, key("laptop"));
  await recorder.send("key: again", paid, "POST", "/v1/api-keys", { label: "laptop" }, key("laptop"));
  await recorder.send("keys", paid, "GET", "/v1/api-keys");
  await recorder.send("revoke", paid, "DELETE", `/v1/api-keys/${made.apiKey.keyId}`);
  await recorder.send("revoke: foreign", other, "DELETE", `/v1/api-keys/${made.apiKey.keyId}`);
  // From here on it answers in place of the inference service.
  const stripe = new FakeStripe();
  await recorder.send("checkout", trial, "POST", "/v1/billing/checkout", undefined, key("checkout"));
  await recorder.send("portal", trial, "POST", "/v1/billing/portal", undefined, key("portal"));
  await recorder.send("unknown path", paid, "GET", "/v1/nothing");
  await recorder.send("wrong method", paid, "PUT", "/v1/jobs");

  expect(stripe.calls.length).toBeGreaterThan(0);
  expect(recorder.exchanges).toEqual(recorded);
});
