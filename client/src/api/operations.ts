// Made by `npm run openapi` from the service's contract. Change it there.
import type { Call } from "./types.ts";

/** Every operation of the service by its name in the contract. */
export interface Api {
  /**
   * Get the masks of a picture with one request.
   *
   * Uploads the picture, creates a job for it, and waits for the job: for 60 seconds, or as long as `Prefer` says. Send a form with the file, or JSON. It costs what these steps cost, and a refusal leaves nothing behind. The job is in the account's list like any other. With an Idempotency-Key the request can be repeated within a day: it is the same job, with new URLs. If the job fails, the response is 409 `job_not_ready`, with the reason.
   * @example
   * await client.api.segment({
   *   "image": {
   *     "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg"
   *   },
   *   "prompts": [
   *     "cat",
   *     "chair"
   *   ]
   * });
   */
  readonly segment: Call<"segment">;
  /**
   * Get a URL to upload a file to.
   *
   * PUT the file's bytes to `uploadUrl` with the same Content-Type, then list its `taskId` in a job. If the request has the file's `size`, storage refuses a file of another size. The service deletes an upload that no job has used within a day.
   * @example
   * await client.api.createUploadPresign({
   *   "contentType": "image/jpeg",
   *   "size": 184320
   * });
   */
  readonly createUploadPresign: Call<"createUploadPresign">;
  /**
   * Get URLs to upload a large file in parts.
   *
   * For a file that may not get through at once: a lost connection costs one part. PUT each part to its `uploadUrl`, in any order and as often as it takes, then complete the upload with the parts' ETags. With an Idempotency-Key the request can be repeated within a day: it is the same upload, with new URLs. The file counts as uploaded at once; the service deletes what is not completed and used within a day.
   * @example
   * await client.api.createMultipartUpload({
   *   "contentType": "video/mp4",
   *   "size": 1200000000
   * });
   */
  readonly createMultipartUpload: Call<"createMultipartUpload">;
  /**
   * Make one file of an upload's parts.
   *
   * List the `taskId` in a job afterwards. Completing it again changes nothing. If a part is missing or has another ETag, the service answers 409 `upload_incomplete`: PUT that part again.
   * @example
   * await client.api.completeMultipartUpload({
   *   "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
   *   "parts": [
   *     {
   *       "partNumber": 1,
   *       "etag": "\"0cc175b9c0f1b6a831c399e269772661\""
   *     }
   *   ]
   * });
   */
  readonly completeMultipartUpload: Call<"completeMultipartUpload">;
  /**
   * Have the service fetch a file.
   *
   * The answer comes once the file is stored; list its `taskId` in a job, like that of any upload. The service follows two redirects, waits 20 seconds for the first byte and for each following one, and four minutes for the whole file unless its operator has set another limit; it gives up a source that sends less than 50 kB per second. A file that is too large, or on a host that is not public, is refused; nothing remains of it, but the fetched bytes count as uploaded. A repeated request imports the file again.
   * @example
   * await client.api.importUpload({
   *   "url": "https://example.com/pictures/cat.jpg"
   * });
   */
  readonly importUpload: Call<"importUpload">;
  /**
   * Delete an upload.
   *
   * No later job can use it. Results of jobs that have used it stay.
   * @example
   * await client.api.deleteUpload({
   *   "taskId": "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg"
   * });
   */
  readonly deleteUpload: Call<"deleteUpload">;
  /**
   * List the account's jobs, newest first.
   * @example
   * for await (const item of client.api.listJobs()) console.log(item);
   */
  readonly listJobs: Call<"listJobs">;
  /**
   * Create a job from uploaded files, text prompts and regions.
   *
   * The service refuses a field that does not belong to the chosen type. After a 502 or 503, nothing was created or charged: send the request again.
   * @example
   * await client.api.createJob({
   *   "type": "image",
   *   "prompts": [
   *     "cat",
   *     "chair"
   *   ],
   *   "tasks": [
   *     "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg"
   *   ],
   *   "generatePreview": true
   * });
   */
  readonly createJob: Call<"createJob">;
  /**
   * Get a job's status.
   *
   * The status never contains masks. Get them from the result. With `Prefer: wait=60` the response comes when the job has ended, or after that time.
   * @example
   * await client.api.retrieveJob({
   *   "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly retrieveJob: Call<"retrieveJob">;
  /**
   * Cancel a job.
   *
   * Each task that has not ended fails with the error `canceled` and is not charged; finished masks stay. An ended job does not change.
   * @example
   * await client.api.cancelJob({
   *   "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly cancelJob: Call<"cancelJob">;
  /**
   * Delete a job with its results.
   *
   * A job in progress is canceled first. After the response the job can no longer be found; its outputs and its archive are deleted soon after. What it used stays charged. Its uploads stay: delete them separately.
   * @example
   * await client.api.deleteJob({
   *   "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly deleteJob: Call<"deleteJob">;
  /**
   * Listen to a job's events.
   *
   * Server-sent events: `status`, with the job's status, immediately and at each change; `progress`, at most four per second; `end`, with the final status, after which the stream closes. An event's id is the job's version; send it as `Last-Event-ID` to resume after a broken connection: whatever has changed meanwhile follows. A stream closes without an `end` after an hour, or if the job is deleted; connect again. A comment every 15 seconds keeps the connection open. A job may have 10 open streams, an account 100.
   * @example
   * for await (const { event, data } of client.api.streamJobEvents({
   *   "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * })) console.log(event, data);
   */
  readonly streamJobEvents: Call<"streamJobEvents">;
  /**
   * Get the masks of a job that succeeded.
   * @example
   * await client.api.retrieveJobResult({
   *   "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly retrieveJobResult: Call<"retrieveJobResult">;
  /**
   * Get the files of a job.
   * @example
   * await client.api.retrieveJobInputs({
   *   "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly retrieveJobInputs: Call<"retrieveJobInputs">;
  /**
   * Get what people have done to a job's result.
   *
   * Classes, verdicts, and changes to objects, as the studio and other clients save them. A job without annotations has an empty document of version 0. The service keeps the annotations as long as the job.
   * @example
   * await client.api.retrieveJobAnnotations({
   *   "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly retrieveJobAnnotations: Call<"retrieveJobAnnotations">;
  /**
   * Save what people have done to a job's result.
   *
   * Replaces the whole document. `If-Match` names the version that you have changed; if another client has saved since, the response is 412, with the current version in `ETag`. A repeated request is answered like the first. Each 256 KiB of a document count as another request.
   * @example
   * await client.api.replaceJobAnnotations({
   *   "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
   *   "document": {
   *     "format": 1,
   *     "classes": [
   *       {
   *         "id": 1,
   *         "name": "cat",
   *         "color": "#1b9e77",
   *         "key": 1
   *       }
   *     ],
   *     "nextClassId": 2,
   *     "searches": [],
   *     "tasks": []
   *   }
   * });
   */
  readonly replaceJobAnnotations: Call<"replaceJobAnnotations">;
  /**
   * Start building a zip of a job's outputs.
   *
   * If an archive is already being built or is ready, the service returns that one. If it failed, the service starts a new one.
   * @example
   * await client.api.createJobDownload({
   *   "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly createJobDownload: Call<"createJobDownload">;
  /**
   * Get an archive's status.
   *
   * With `Prefer: wait=60` the response comes when the archive is ready or has failed, or after that time.
   * @example
   * await client.api.retrieveJobDownload({
   *   "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly retrieveJobDownload: Call<"retrieveJobDownload">;
  /**
   * List what the account shares.
   * @example
   * await client.api.listShares();
   */
  readonly listShares: Call<"listShares">;
  /**
   * Make a link to a job's result.
   *
   * The link shows the job's status and result to people without an account, and nothing else of the account. A job has one link: sharing it again replaces the previous link. An account has at most 100.
   * @example
   * await client.api.createShare({
   *   "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21",
   *   "expiresIn": 86400,
   *   "showInputs": true
   * });
   */
  readonly createShare: Call<"createShare">;
  /**
   * See what a job's link shows.
   *
   * The account and the bearer of the link get the same answer. A link that shows the job as a further one gets 404 `share_not_found`.
   * @example
   * await client.api.retrieveShare({
   *   "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly retrieveShare: Call<"retrieveShare">;
  /**
   * End a job's link.
   *
   * The link stops working at once. Signed URLs that it has returned before stay valid for up to 15 minutes.
   * @example
   * await client.api.revokeShare({
   *   "jobId": "job_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly revokeShare: Call<"revokeShare">;
  /**
   * Get the model in use.
   *
   * What the model can do: which words it knows, and whether it takes regions and videos. The answer is cached for a minute.
   * @example
   * await client.api.retrieveModel();
   */
  readonly retrieveModel: Call<"retrieveModel">;
  /**
   * Get the account.
   * @example
   * await client.api.getAccount();
   */
  readonly getAccount: Call<"getAccount">;
  /**
   * Get the account's usage, billing, access and trial.
   * @example
   * await client.api.getAccountOverview();
   */
  readonly getAccountOverview: Call<"getAccountOverview">;
  /**
   * Get the account's usage per day.
   *
   * Days are in UTC: at most 366 of the last 400, and the last 30 without a query. A job counts on the day it ended.
   * @example
   * await client.api.getAccountUsage();
   */
  readonly getAccountUsage: Call<"getAccountUsage">;
  /**
   * List the account's API keys.
   * @example
   * await client.api.listApiKeys();
   */
  readonly listApiKeys: Call<"listApiKeys">;
  /**
   * Create an API key.
   *
   * The service stores only a digest of the secret and cannot show the secret again.
   * @example
   * await client.api.createApiKey({
   *   "label": "nightly batch"
   * });
   */
  readonly createApiKey: Call<"createApiKey">;
  /**
   * Revoke an API key.
   *
   * The service refuses the key from then on. A revoked key stays revoked; revoking it again changes nothing.
   * @example
   * await client.api.revokeApiKey({
   *   "keyId": "key_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly revokeApiKey: Call<"revokeApiKey">;
  /**
   * List the account's webhook endpoints.
   * @example
   * await client.api.listWebhookEndpoints();
   */
  readonly listWebhookEndpoints: Call<"listWebhookEndpoints">;
  /**
   * Create a webhook endpoint.
   *
   * From now on the service notifies this URL when a job or an archive ends. An account has at most 10 endpoints.
   * @example
   * await client.api.createWebhookEndpoint({
   *   "url": "https://example.com/webhooks/segmentation",
   *   "events": [
   *     "job.succeeded",
   *     "job.failed"
   *   ]
   * });
   */
  readonly createWebhookEndpoint: Call<"createWebhookEndpoint">;
  /**
   * Get a webhook endpoint.
   * @example
   * await client.api.retrieveWebhookEndpoint({
   *   "endpointId": "whe_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly retrieveWebhookEndpoint: Call<"retrieveWebhookEndpoint">;
  /**
   * Change, disable or enable a webhook endpoint.
   *
   * Omitted fields keep their values.
   * @example
   * await client.api.updateWebhookEndpoint({
   *   "endpointId": "whe_019aa0f61c4e7d2d9be7a5f40b8a6c21",
   *   "disabled": false
   * });
   */
  readonly updateWebhookEndpoint: Call<"updateWebhookEndpoint">;
  /**
   * Give a webhook endpoint a new secret.
   *
   * For 24 hours both secrets sign each request, so that the receiver can switch. If the response is lost, rotate again: a secret is never shown twice, and the previous ones stay valid for 24 hours.
   * @example
   * await client.api.rotateWebhookSecret({
   *   "endpointId": "whe_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly rotateWebhookSecret: Call<"rotateWebhookSecret">;
  /**
   * Send a test event to a webhook endpoint.
   *
   * The event has the type `test` and is delivered like any other.
   * @example
   * await client.api.testWebhookEndpoint({
   *   "endpointId": "whe_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly testWebhookEndpoint: Call<"testWebhookEndpoint">;
  /**
   * List a webhook endpoint's deliveries, newest first.
   *
   * Deliveries are kept for a month, successful ones only while they are among the newest 10,000 of the endpoint.
   * @example
   * for await (const item of client.api.listWebhookDeliveries({
   *   "endpointId": "whe_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * })) console.log(item);
   */
  readonly listWebhookDeliveries: Call<"listWebhookDeliveries">;
  /**
   * Try a delivery again now.
   *
   * Retries any delivery, even a successful or finally failed one. If this attempt fails, the remaining scheduled attempts follow.
   * @example
   * await client.api.retryWebhookDelivery({
   *   "endpointId": "whe_019aa0f61c4e7d2d9be7a5f40b8a6c21",
   *   "deliveryId": "evt_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly retryWebhookDelivery: Call<"retryWebhookDelivery">;
  /**
   * Delete a webhook endpoint.
   *
   * Its deliveries are deleted with it, and nothing further is sent.
   * @example
   * await client.api.deleteWebhookEndpoint({
   *   "endpointId": "whe_019aa0f61c4e7d2d9be7a5f40b8a6c21"
   * });
   */
  readonly deleteWebhookEndpoint: Call<"deleteWebhookEndpoint">;
  /**
   * Open a checkout session for the subscription.
   * @example
   * await client.api.createCheckout();
   */
  readonly createCheckout: Call<"createCheckout">;
  /**
   * Open a billing portal session.
   * @example
   * await client.api.createBillingPortal();
   */
  readonly createBillingPortal: Call<"createBillingPortal">;
}
