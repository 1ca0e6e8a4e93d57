"""The service's operations as methods."""

# Made by `npm run openapi` from the service's contract. Change it there.

from __future__ import annotations

from typing import TYPE_CHECKING, AsyncIterator, Iterator, cast

from . import models as m
from ._http.operations import AsyncOperations, Operations

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._http.connection import Event
    from .options import RequestOptions


class Segment(Operations):
    """The operations of the reference's section Segment."""

    def segment(
        self,
        body: m.SegmentRequest,
        **options: Unpack[RequestOptions],
    ) -> m.Segmentation | m.UnfinishedSegmentation:
        """Get the masks of a picture with one request.

        Uploads the picture, creates a job for it, and waits for the job: for 60 seconds, or as long as
        `Prefer` says. Send a form with the file, or JSON. It costs what these steps cost, and a refusal leaves
        nothing behind. The job is in the account's list like any other. With an Idempotency-Key the request
        can be repeated within a day: it is the same job, with new URLs. If the job fails, the response is 409
        `job_not_ready`, with the reason.
        """
        return cast("m.Segmentation | m.UnfinishedSegmentation", self._ask("POST /v1/segment", {}, body=body, options=options))


class Uploads(Operations):
    """The operations of the reference's section Uploads."""

    def create_upload_presign(
        self,
        body: m.PresignRequest,
        **options: Unpack[RequestOptions],
    ) -> m.Upload:
        """Get a URL to upload a file to.

        PUT the file's bytes to `uploadUrl` with the same Content-Type, then list its `taskId` in a job. If the
        request has the file's `size`, storage refuses a file of another size. The service deletes an upload
        that no job has used within a day.
        """
        return cast(m.Upload, self._ask("POST /v1/uploads/presign", {}, body=body, options=options))

    def create_multipart_upload(
        self,
        body: m.MultipartUploadRequest,
        **options: Unpack[RequestOptions],
    ) -> m.MultipartUpload:
        """Get URLs to upload a large file in parts.

        For a file that may not get through at once: a lost connection costs one part. PUT each part to its
        `uploadUrl`, in any order and as often as it takes, then complete the upload with the parts' ETags.
        With an Idempotency-Key the request can be repeated within a day: it is the same upload, with new URLs.
        The file counts as uploaded at once; the service deletes what is not completed and used within a day.
        """
        return cast(m.MultipartUpload, self._ask("POST /v1/uploads/parts", {}, body=body, options=options))

    def complete_multipart_upload(
        self,
        task_id: str,
        body: m.CompleteUploadRequest,
        **options: Unpack[RequestOptions],
    ) -> m.CompletedUpload:
        """Make one file of an upload's parts.

        List the `taskId` in a job afterwards. Completing it again changes nothing. If a part is missing or has
        another ETag, the service answers 409 `upload_incomplete`: PUT that part again.
        """
        return cast(m.CompletedUpload, self._ask("POST /v1/uploads/{task_id}/complete", {"task_id": task_id}, body=body, options=options))

    def import_upload(
        self,
        body: m.ImportRequest,
        **options: Unpack[RequestOptions],
    ) -> m.ImportedUpload:
        """Have the service fetch a file.

        The answer comes once the file is stored; list its `taskId` in a job, like that of any upload. The
        service follows two redirects, waits 20 seconds for the first byte and for each following one, and four
        minutes for the whole file unless its operator has set another limit; it gives up a source that sends
        less than 50 kB per second. A file that is too large, or on a host that is not public, is refused;
        nothing remains of it, but the fetched bytes count as uploaded. A repeated request imports the file
        again.
        """
        return cast(m.ImportedUpload, self._ask("POST /v1/uploads/import", {}, body=body, options=options))

    def delete_upload(
        self,
        task_id: str,
        **options: Unpack[RequestOptions],
    ) -> None:
        """Delete an upload.

        No later job can use it. Results of jobs that have used it stay.
        """
        self._ask("DELETE /v1/uploads/{task_id}", {"task_id": task_id}, is_empty=True, options=options)


class Jobs(Operations):
    """The operations of the reference's section Jobs."""

    def list_jobs(
        self,
        *,
        limit: int | None = None,
        job_id: str | None = None,
        continues: str | None = None,
        mode: m.ProcessingMode | None = None,
        status: m.Status | None = None,
        **options: Unpack[RequestOptions],
    ) -> Iterator[m.JobSummary]:
        """List the account's jobs, newest first."""
        return self._items("GET /v1/jobs", {}, query={"limit": limit, "jobId": job_id, "continues": continues, "mode": mode, "status": status}, options=options)

    def create_job(
        self,
        body: m.CreateJobRequest,
        **options: Unpack[RequestOptions],
    ) -> m.AcceptedJob:
        """Create a job from uploaded files, text prompts and regions.

        The service refuses a field that does not belong to the chosen type. After a 502 or 503, nothing was
        created or charged: send the request again.
        """
        return cast(m.AcceptedJob, self._ask("POST /v1/jobs", {}, body=body, options=options))

    def retrieve_job(
        self,
        job_id: str,
        *,
        include: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> m.JobStatus:
        """Get a job's status.

        The status never contains masks. Get them from the result. With `Prefer: wait=60` the response comes
        when the job has ended, or after that time. The token of a share that shows the job is a credential for
        it, too.
        """
        return cast(m.JobStatus, self._ask("GET /v1/jobs/{job_id}", {"job_id": job_id}, query={"include": include}, options=options))

    def delete_job(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> None:
        """Delete a job with its results.

        A job in progress is canceled first. After the response the job can no longer be found; its outputs and
        its archive are deleted soon after. What it used stays charged. Its uploads stay: delete them
        separately.
        """
        self._ask("DELETE /v1/jobs/{job_id}", {"job_id": job_id}, is_empty=True, options=options)

    def cancel_job(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.JobStatus:
        """Cancel a job.

        Each task that has not ended fails with the error `canceled` and is not charged; finished masks stay.
        An ended job does not change.
        """
        return cast(m.JobStatus, self._ask("POST /v1/jobs/{job_id}/cancel", {"job_id": job_id}, options=options))

    def stream_job_events(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> Iterator[Event]:
        """Listen to a job's events.

        Server-sent events: `status`, with the job's status, immediately and at each change; `progress`, at
        most four per second; `end`, with the final status, after which the stream closes. An event's id is the
        job's version; send it as `Last-Event-ID` to resume after a broken connection: whatever has changed
        meanwhile follows. A stream closes without an `end` after an hour, or if the job is deleted; connect
        again. A comment every 15 seconds keeps the connection open. A job may have 10 open streams, an account
        100. The token of a share that shows the job is a credential for it, too.
        """
        return self._stream("GET /v1/jobs/{job_id}/events", {"job_id": job_id}, options=options)

    def retrieve_job_result(
        self,
        job_id: str,
        *,
        include: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> m.JobResult:
        """Get the masks of a job that succeeded.

        The token of a share that shows the job is a credential for it, too.
        """
        return cast(m.JobResult, self._ask("GET /v1/jobs/{job_id}/result", {"job_id": job_id}, query={"include": include}, options=options))

    def retrieve_job_inputs(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.JobInputs:
        """Get the files of a job."""
        return cast(m.JobInputs, self._ask("GET /v1/jobs/{job_id}/inputs", {"job_id": job_id}, options=options))

    def retrieve_job_annotations(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.JobAnnotations:
        """Get what people have done to a job's result.

        Classes, verdicts, and changes to objects, as the studio and other clients save them. A job without
        annotations has an empty document of version 0. The service keeps the annotations as long as the job.
        The token of a share that shows the job is a credential for it, too.
        """
        return cast(m.JobAnnotations, self._ask("GET /v1/jobs/{job_id}/annotations", {"job_id": job_id}, options=options))

    def replace_job_annotations(
        self,
        job_id: str,
        body: m.ReplaceJobAnnotationsRequest,
        **options: Unpack[RequestOptions],
    ) -> m.SavedAnnotations:
        """Save what people have done to a job's result.

        Replaces the whole document. `If-Match` names the version that you have changed; if another client has
        saved since, the response is 412, with the current version in `ETag`. A repeated request is answered
        like the first. Each 256 KiB of a document count as another request.
        """
        return cast(m.SavedAnnotations, self._ask("PUT /v1/jobs/{job_id}/annotations", {"job_id": job_id}, body=body, options=options))


class Downloads(Operations):
    """The operations of the reference's section Downloads."""

    def create_job_download(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.ArchiveDownload:
        """Start building a zip of a job's outputs.

        If an archive is already being built or is ready, the service returns that one. If it failed, the
        service starts a new one.
        """
        return cast(m.ArchiveDownload, self._ask("POST /v1/jobs/{job_id}/download", {"job_id": job_id}, options=options))

    def retrieve_job_download(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.ArchiveDownload:
        """Get an archive's status.

        With `Prefer: wait=60` the response comes when the archive is ready or has failed, or after that time.
        """
        return cast(m.ArchiveDownload, self._ask("GET /v1/jobs/{job_id}/download", {"job_id": job_id}, options=options))


class Sharing(Operations):
    """The operations of the reference's section Sharing."""

    def list_shares(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.ShareList:
        """List what the account shares."""
        return cast(m.ShareList, self._ask("GET /v1/shares", {}, options=options))

    def create_share(
        self,
        job_id: str,
        body: m.CreateShareRequest,
        **options: Unpack[RequestOptions],
    ) -> m.CreatedShare:
        """Make a link to a job's result.

        The link shows the job's status and result to people without an account, and nothing else of the
        account. A job has one link: sharing it again replaces the previous link. An account has at most 100.
        """
        return cast(m.CreatedShare, self._ask("POST /v1/jobs/{job_id}/share", {"job_id": job_id}, body=body, options=options))

    def retrieve_share(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.SharedInputs:
        """See what a job's link shows.

        The account and the bearer of the link get the same answer. A link that shows the job as a further one
        gets 404 `share_not_found`. The token of a share that shows the job is a credential for it, too.
        """
        return cast(m.SharedInputs, self._ask("GET /v1/jobs/{job_id}/share", {"job_id": job_id}, options=options))

    def revoke_share(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> None:
        """End a job's link.

        The link stops working at once. Signed URLs that it has returned before stay valid for up to 15
        minutes.
        """
        self._ask("DELETE /v1/jobs/{job_id}/share", {"job_id": job_id}, is_empty=True, options=options)


class Model(Operations):
    """The operations of the reference's section Model."""

    def retrieve_model(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.Model:
        """Get the model in use.

        What the model can do: which words it knows, and whether it takes regions and videos. The answer is
        cached for a minute.
        """
        return cast(m.Model, self._ask("GET /v1/model", {}, options=options))


class Account(Operations):
    """The operations of the reference's section Account."""

    def get_account(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.Account:
        """Get the account."""
        return cast(m.Account, self._ask("GET /v1/account", {}, options=options))

    def get_account_overview(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.AccountOverview:
        """Get the account's usage, billing, access and trial."""
        return cast(m.AccountOverview, self._ask("GET /v1/account/overview", {}, options=options))

    def get_account_usage(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> m.AccountUsage:
        """Get the account's usage per day.

        Days are in UTC: at most 366 of the last 400, and the last 30 without a query. A job counts on the day
        it ended.
        """
        return cast(m.AccountUsage, self._ask("GET /v1/account/usage", {}, query={"from": from_, "to": to}, options=options))


class APIKeys(Operations):
    """The operations of the reference's section API keys."""

    def list_api_keys(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.ApiKeyList:
        """List the account's API keys."""
        return cast(m.ApiKeyList, self._ask("GET /v1/api-keys", {}, options=options))

    def create_api_key(
        self,
        body: m.CreateApiKeyRequest,
        **options: Unpack[RequestOptions],
    ) -> m.CreatedApiKey:
        """Create an API key.

        The service stores only a digest of the secret and cannot show the secret again.
        """
        return cast(m.CreatedApiKey, self._ask("POST /v1/api-keys", {}, body=body, options=options))

    def revoke_api_key(
        self,
        key_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.RevokedApiKey:
        """Revoke an API key.

        The service refuses the key from then on. A revoked key stays revoked; revoking it again changes
        nothing.
        """
        return cast(m.RevokedApiKey, self._ask("DELETE /v1/api-keys/{key_id}", {"key_id": key_id}, options=options))


class Webhooks(Operations):
    """The operations of the reference's section Webhooks."""

    def list_webhook_endpoints(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.WebhookEndpointList:
        """List the account's webhook endpoints."""
        return cast(m.WebhookEndpointList, self._ask("GET /v1/webhook-endpoints", {}, options=options))

    def create_webhook_endpoint(
        self,
        body: m.CreateWebhookEndpointRequest,
        **options: Unpack[RequestOptions],
    ) -> m.CreatedWebhookEndpoint:
        """Create a webhook endpoint.

        From now on the service notifies this URL when a job or an archive ends. An account has at most 10
        endpoints.
        """
        return cast(m.CreatedWebhookEndpoint, self._ask("POST /v1/webhook-endpoints", {}, body=body, options=options))

    def retrieve_webhook_endpoint(
        self,
        endpoint_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.WebhookEndpoint:
        """Get a webhook endpoint."""
        return cast(m.WebhookEndpoint, self._ask("GET /v1/webhook-endpoints/{endpoint_id}", {"endpoint_id": endpoint_id}, options=options))

    def update_webhook_endpoint(
        self,
        endpoint_id: str,
        body: m.UpdateWebhookEndpointRequest,
        **options: Unpack[RequestOptions],
    ) -> m.WebhookEndpoint:
        """Change, disable or enable a webhook endpoint.

        Omitted fields keep their values.
        """
        return cast(m.WebhookEndpoint, self._ask("PATCH /v1/webhook-endpoints/{endpoint_id}", {"endpoint_id": endpoint_id}, body=body, options=options))

    def delete_webhook_endpoint(
        self,
        endpoint_id: str,
        **options: Unpack[RequestOptions],
    ) -> None:
        """Delete a webhook endpoint.

        Its deliveries are deleted with it, and nothing further is sent.
        """
        self._ask("DELETE /v1/webhook-endpoints/{endpoint_id}", {"endpoint_id": endpoint_id}, is_empty=True, options=options)

    def rotate_webhook_secret(
        self,
        endpoint_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.RotatedWebhookSecret:
        """Give a webhook endpoint a new secret.

        For 24 hours both secrets sign each request, so that the receiver can switch. If the response is lost,
        rotate again: a secret is never shown twice, and the previous ones stay valid for 24 hours.
        """
        return cast(m.RotatedWebhookSecret, self._ask("POST /v1/webhook-endpoints/{endpoint_id}/rotate-secret", {"endpoint_id": endpoint_id}, options=options))

    def test_webhook_endpoint(
        self,
        endpoint_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.WebhookDelivery:
        """Send a test event to a webhook endpoint.

        The event has the type `test` and is delivered like any other.
        """
        return cast(m.WebhookDelivery, self._ask("POST /v1/webhook-endpoints/{endpoint_id}/test", {"endpoint_id": endpoint_id}, options=options))

    def list_webhook_deliveries(
        self,
        endpoint_id: str,
        *,
        limit: int | None = None,
        **options: Unpack[RequestOptions],
    ) -> Iterator[m.WebhookDelivery]:
        """List a webhook endpoint's deliveries, newest first.

        Deliveries are kept for a month, successful ones only while they are among the newest 10,000 of the
        endpoint.
        """
        return self._items("GET /v1/webhook-endpoints/{endpoint_id}/deliveries", {"endpoint_id": endpoint_id}, query={"limit": limit}, options=options)

    def retry_webhook_delivery(
        self,
        endpoint_id: str,
        delivery_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.WebhookDelivery:
        """Try a delivery again now.

        Retries any delivery, even a successful or finally failed one. If this attempt fails, the remaining
        scheduled attempts follow.
        """
        return cast(m.WebhookDelivery, self._ask("POST /v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/retry", {"endpoint_id": endpoint_id, "delivery_id": delivery_id}, options=options))


class Billing(Operations):
    """The operations of the reference's section Billing."""

    def create_checkout(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.BillingUrl:
        """Open a checkout session for the subscription."""
        return cast(m.BillingUrl, self._ask("POST /v1/billing/checkout", {}, options=options))

    def create_billing_portal(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.BillingUrl:
        """Open a billing portal session."""
        return cast(m.BillingUrl, self._ask("POST /v1/billing/portal", {}, options=options))


class Api(Segment, Uploads, Jobs, Downloads, Sharing, Model, Account, APIKeys, Webhooks, Billing):
    """Every operation of the service."""


class AsyncSegment(AsyncOperations):
    """The operations of the reference's section Segment."""

    async def segment(
        self,
        body: m.SegmentRequest,
        **options: Unpack[RequestOptions],
    ) -> m.Segmentation | m.UnfinishedSegmentation:
        """Get the masks of a picture with one request.

        Uploads the picture, creates a job for it, and waits for the job: for 60 seconds, or as long as
        `Prefer` says. Send a form with the file, or JSON. It costs what these steps cost, and a refusal leaves
        nothing behind. The job is in the account's list like any other. With an Idempotency-Key the request
        can be repeated within a day: it is the same job, with new URLs. If the job fails, the response is 409
        `job_not_ready`, with the reason.
        """
        return cast("m.Segmentation | m.UnfinishedSegmentation", await self._ask("POST /v1/segment", {}, body=body, options=options))


class AsyncUploads(AsyncOperations):
    """The operations of the reference's section Uploads."""

    async def create_upload_presign(
        self,
        body: m.PresignRequest,
        **options: Unpack[RequestOptions],
    ) -> m.Upload:
        """Get a URL to upload a file to.

        PUT the file's bytes to `uploadUrl` with the same Content-Type, then list its `taskId` in a job. If the
        request has the file's `size`, storage refuses a file of another size. The service deletes an upload
        that no job has used within a day.
        """
        return cast(m.Upload, await self._ask("POST /v1/uploads/presign", {}, body=body, options=options))

    async def create_multipart_upload(
        self,
        body: m.MultipartUploadRequest,
        **options: Unpack[RequestOptions],
    ) -> m.MultipartUpload:
        """Get URLs to upload a large file in parts.

        For a file that may not get through at once: a lost connection costs one part. PUT each part to its
        `uploadUrl`, in any order and as often as it takes, then complete the upload with the parts' ETags.
        With an Idempotency-Key the request can be repeated within a day: it is the same upload, with new URLs.
        The file counts as uploaded at once; the service deletes what is not completed and used within a day.
        """
        return cast(m.MultipartUpload, await self._ask("POST /v1/uploads/parts", {}, body=body, options=options))

    async def complete_multipart_upload(
        self,
        task_id: str,
        body: m.CompleteUploadRequest,
        **options: Unpack[RequestOptions],
    ) -> m.CompletedUpload:
        """Make one file of an upload's parts.

        List the `taskId` in a job afterwards. Completing it again changes nothing. If a part is missing or has
        another ETag, the service answers 409 `upload_incomplete`: PUT that part again.
        """
        return cast(m.CompletedUpload, await self._ask("POST /v1/uploads/{task_id}/complete", {"task_id": task_id}, body=body, options=options))

    async def import_upload(
        self,
        body: m.ImportRequest,
        **options: Unpack[RequestOptions],
    ) -> m.ImportedUpload:
        """Have the service fetch a file.

        The answer comes once the file is stored; list its `taskId` in a job, like that of any upload. The
        service follows two redirects, waits 20 seconds for the first byte and for each following one, and four
        minutes for the whole file unless its operator has set another limit; it gives up a source that sends
        less than 50 kB per second. A file that is too large, or on a host that is not public, is refused;
        nothing remains of it, but the fetched bytes count as uploaded. A repeated request imports the file
        again.
        """
        return cast(m.ImportedUpload, await self._ask("POST /v1/uploads/import", {}, body=body, options=options))

    async def delete_upload(
        self,
        task_id: str,
        **options: Unpack[RequestOptions],
    ) -> None:
        """Delete an upload.

        No later job can use it. Results of jobs that have used it stay.
        """
        await self._ask("DELETE /v1/uploads/{task_id}", {"task_id": task_id}, is_empty=True, options=options)


class AsyncJobs(AsyncOperations):
    """The operations of the reference's section Jobs."""

    def list_jobs(
        self,
        *,
        limit: int | None = None,
        job_id: str | None = None,
        continues: str | None = None,
        mode: m.ProcessingMode | None = None,
        status: m.Status | None = None,
        **options: Unpack[RequestOptions],
    ) -> AsyncIterator[m.JobSummary]:
        """List the account's jobs, newest first."""
        return self._items("GET /v1/jobs", {}, query={"limit": limit, "jobId": job_id, "continues": continues, "mode": mode, "status": status}, options=options)

    async def create_job(
        self,
        body: m.CreateJobRequest,
        **options: Unpack[RequestOptions],
    ) -> m.AcceptedJob:
        """Create a job from uploaded files, text prompts and regions.

        The service refuses a field that does not belong to the chosen type. After a 502 or 503, nothing was
        created or charged: send the request again.
        """
        return cast(m.AcceptedJob, await self._ask("POST /v1/jobs", {}, body=body, options=options))

    async def retrieve_job(
        self,
        job_id: str,
        *,
        include: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> m.JobStatus:
        """Get a job's status.

        The status never contains masks. Get them from the result. With `Prefer: wait=60` the response comes
        when the job has ended, or after that time. The token of a share that shows the job is a credential for
        it, too.
        """
        return cast(m.JobStatus, await self._ask("GET /v1/jobs/{job_id}", {"job_id": job_id}, query={"include": include}, options=options))

    async def delete_job(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> None:
        """Delete a job with its results.

        A job in progress is canceled first. After the response the job can no longer be found; its outputs and
        its archive are deleted soon after. What it used stays charged. Its uploads stay: delete them
        separately.
        """
        await self._ask("DELETE /v1/jobs/{job_id}", {"job_id": job_id}, is_empty=True, options=options)

    async def cancel_job(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.JobStatus:
        """Cancel a job.

        Each task that has not ended fails with the error `canceled` and is not charged; finished masks stay.
        An ended job does not change.
        """
        return cast(m.JobStatus, await self._ask("POST /v1/jobs/{job_id}/cancel", {"job_id": job_id}, options=options))

    def stream_job_events(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> AsyncIterator[Event]:
        """Listen to a job's events.

        Server-sent events: `status`, with the job's status, immediately and at each change; `progress`, at
        most four per second; `end`, with the final status, after which the stream closes. An event's id is the
        job's version; send it as `Last-Event-ID` to resume after a broken connection: whatever has changed
        meanwhile follows. A stream closes without an `end` after an hour, or if the job is deleted; connect
        again. A comment every 15 seconds keeps the connection open. A job may have 10 open streams, an account
        100. The token of a share that shows the job is a credential for it, too.
        """
        return self._stream("GET /v1/jobs/{job_id}/events", {"job_id": job_id}, options=options)

    async def retrieve_job_result(
        self,
        job_id: str,
        *,
        include: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> m.JobResult:
        """Get the masks of a job that succeeded.

        The token of a share that shows the job is a credential for it, too.
        """
        return cast(m.JobResult, await self._ask("GET /v1/jobs/{job_id}/result", {"job_id": job_id}, query={"include": include}, options=options))

    async def retrieve_job_inputs(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.JobInputs:
        """Get the files of a job."""
        return cast(m.JobInputs, await self._ask("GET /v1/jobs/{job_id}/inputs", {"job_id": job_id}, options=options))

    async def retrieve_job_annotations(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.JobAnnotations:
        """Get what people have done to a job's result.

        Classes, verdicts, and changes to objects, as the studio and other clients save them. A job without
        annotations has an empty document of version 0. The service keeps the annotations as long as the job.
        The token of a share that shows the job is a credential for it, too.
        """
        return cast(m.JobAnnotations, await self._ask("GET /v1/jobs/{job_id}/annotations", {"job_id": job_id}, options=options))

    async def replace_job_annotations(
        self,
        job_id: str,
        body: m.ReplaceJobAnnotationsRequest,
        **options: Unpack[RequestOptions],
    ) -> m.SavedAnnotations:
        """Save what people have done to a job's result.

        Replaces the whole document. `If-Match` names the version that you have changed; if another client has
        saved since, the response is 412, with the current version in `ETag`. A repeated request is answered
        like the first. Each 256 KiB of a document count as another request.
        """
        return cast(m.SavedAnnotations, await self._ask("PUT /v1/jobs/{job_id}/annotations", {"job_id": job_id}, body=body, options=options))


class AsyncDownloads(AsyncOperations):
    """The operations of the reference's section Downloads."""

    async def create_job_download(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.ArchiveDownload:
        """Start building a zip of a job's outputs.

        If an archive is already being built or is ready, the service returns that one. If it failed, the
        service starts a new one.
        """
        return cast(m.ArchiveDownload, await self._ask("POST /v1/jobs/{job_id}/download", {"job_id": job_id}, options=options))

    async def retrieve_job_download(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.ArchiveDownload:
        """Get an archive's status.

        With `Prefer: wait=60` the response comes when the archive is ready or has failed, or after that time.
        """
        return cast(m.ArchiveDownload, await self._ask("GET /v1/jobs/{job_id}/download", {"job_id": job_id}, options=options))


class AsyncSharing(AsyncOperations):
    """The operations of the reference's section Sharing."""

    async def list_shares(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.ShareList:
        """List what the account shares."""
        return cast(m.ShareList, await self._ask("GET /v1/shares", {}, options=options))

    async def create_share(
        self,
        job_id: str,
        body: m.CreateShareRequest,
        **options: Unpack[RequestOptions],
    ) -> m.CreatedShare:
        """Make a link to a job's result.

        The link shows the job's status and result to people without an account, and nothing else of the
        account. A job has one link: sharing it again replaces the previous link. An account has at most 100.
        """
        return cast(m.CreatedShare, await self._ask("POST /v1/jobs/{job_id}/share", {"job_id": job_id}, body=body, options=options))

    async def retrieve_share(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.SharedInputs:
        """See what a job's link shows.

        The account and the bearer of the link get the same answer. A link that shows the job as a further one
        gets 404 `share_not_found`. The token of a share that shows the job is a credential for it, too.
        """
        return cast(m.SharedInputs, await self._ask("GET /v1/jobs/{job_id}/share", {"job_id": job_id}, options=options))

    async def revoke_share(
        self,
        job_id: str,
        **options: Unpack[RequestOptions],
    ) -> None:
        """End a job's link.

        The link stops working at once. Signed URLs that it has returned before stay valid for up to 15
        minutes.
        """
        await self._ask("DELETE /v1/jobs/{job_id}/share", {"job_id": job_id}, is_empty=True, options=options)


class AsyncModel(AsyncOperations):
    """The operations of the reference's section Model."""

    async def retrieve_model(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.Model:
        """Get the model in use.

        What the model can do: which words it knows, and whether it takes regions and videos. The answer is
        cached for a minute.
        """
        return cast(m.Model, await self._ask("GET /v1/model", {}, options=options))


class AsyncAccount(AsyncOperations):
    """The operations of the reference's section Account."""

    async def get_account(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.Account:
        """Get the account."""
        return cast(m.Account, await self._ask("GET /v1/account", {}, options=options))

    async def get_account_overview(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.AccountOverview:
        """Get the account's usage, billing, access and trial."""
        return cast(m.AccountOverview, await self._ask("GET /v1/account/overview", {}, options=options))

    async def get_account_usage(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> m.AccountUsage:
        """Get the account's usage per day.

        Days are in UTC: at most 366 of the last 400, and the last 30 without a query. A job counts on the day
        it ended.
        """
        return cast(m.AccountUsage, await self._ask("GET /v1/account/usage", {}, query={"from": from_, "to": to}, options=options))


class AsyncAPIKeys(AsyncOperations):
    """The operations of the reference's section API keys."""

    async def list_api_keys(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.ApiKeyList:
        """List the account's API keys."""
        return cast(m.ApiKeyList, await self._ask("GET /v1/api-keys", {}, options=options))

    async def create_api_key(
        self,
        body: m.CreateApiKeyRequest,
        **options: Unpack[RequestOptions],
    ) -> m.CreatedApiKey:
        """Create an API key.

        The service stores only a digest of the secret and cannot show the secret again.
        """
        return cast(m.CreatedApiKey, await self._ask("POST /v1/api-keys", {}, body=body, options=options))

    async def revoke_api_key(
        self,
        key_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.RevokedApiKey:
        """Revoke an API key.

        The service refuses the key from then on. A revoked key stays revoked; revoking it again changes
        nothing.
        """
        return cast(m.RevokedApiKey, await self._ask("DELETE /v1/api-keys/{key_id}", {"key_id": key_id}, options=options))


class AsyncWebhooks(AsyncOperations):
    """The operations of the reference's section Webhooks."""

    async def list_webhook_endpoints(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.WebhookEndpointList:
        """List the account's webhook endpoints."""
        return cast(m.WebhookEndpointList, await self._ask("GET /v1/webhook-endpoints", {}, options=options))

    async def create_webhook_endpoint(
        self,
        body: m.CreateWebhookEndpointRequest,
        **options: Unpack[RequestOptions],
    ) -> m.CreatedWebhookEndpoint:
        """Create a webhook endpoint.

        From now on the service notifies this URL when a job or an archive ends. An account has at most 10
        endpoints.
        """
        return cast(m.CreatedWebhookEndpoint, await self._ask("POST /v1/webhook-endpoints", {}, body=body, options=options))

    async def retrieve_webhook_endpoint(
        self,
        endpoint_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.WebhookEndpoint:
        """Get a webhook endpoint."""
        return cast(m.WebhookEndpoint, await self._ask("GET /v1/webhook-endpoints/{endpoint_id}", {"endpoint_id": endpoint_id}, options=options))

    async def update_webhook_endpoint(
        self,
        endpoint_id: str,
        body: m.UpdateWebhookEndpointRequest,
        **options: Unpack[RequestOptions],
    ) -> m.WebhookEndpoint:
        """Change, disable or enable a webhook endpoint.

        Omitted fields keep their values.
        """
        return cast(m.WebhookEndpoint, await self._ask("PATCH /v1/webhook-endpoints/{endpoint_id}", {"endpoint_id": endpoint_id}, body=body, options=options))

    async def delete_webhook_endpoint(
        self,
        endpoint_id: str,
        **options: Unpack[RequestOptions],
    ) -> None:
        """Delete a webhook endpoint.

        Its deliveries are deleted with it, and nothing further is sent.
        """
        await self._ask("DELETE /v1/webhook-endpoints/{endpoint_id}", {"endpoint_id": endpoint_id}, is_empty=True, options=options)

    async def rotate_webhook_secret(
        self,
        endpoint_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.RotatedWebhookSecret:
        """Give a webhook endpoint a new secret.

        For 24 hours both secrets sign each request, so that the receiver can switch. If the response is lost,
        rotate again: a secret is never shown twice, and the previous ones stay valid for 24 hours.
        """
        return cast(m.RotatedWebhookSecret, await self._ask("POST /v1/webhook-endpoints/{endpoint_id}/rotate-secret", {"endpoint_id": endpoint_id}, options=options))

    async def test_webhook_endpoint(
        self,
        endpoint_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.WebhookDelivery:
        """Send a test event to a webhook endpoint.

        The event has the type `test` and is delivered like any other.
        """
        return cast(m.WebhookDelivery, await self._ask("POST /v1/webhook-endpoints/{endpoint_id}/test", {"endpoint_id": endpoint_id}, options=options))

    def list_webhook_deliveries(
        self,
        endpoint_id: str,
        *,
        limit: int | None = None,
        **options: Unpack[RequestOptions],
    ) -> AsyncIterator[m.WebhookDelivery]:
        """List a webhook endpoint's deliveries, newest first.

        Deliveries are kept for a month, successful ones only while they are among the newest 10,000 of the
        endpoint.
        """
        return self._items("GET /v1/webhook-endpoints/{endpoint_id}/deliveries", {"endpoint_id": endpoint_id}, query={"limit": limit}, options=options)

    async def retry_webhook_delivery(
        self,
        endpoint_id: str,
        delivery_id: str,
        **options: Unpack[RequestOptions],
    ) -> m.WebhookDelivery:
        """Try a delivery again now.

        Retries any delivery, even a successful or finally failed one. If this attempt fails, the remaining
        scheduled attempts follow.
        """
        return cast(m.WebhookDelivery, await self._ask("POST /v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/retry", {"endpoint_id": endpoint_id, "delivery_id": delivery_id}, options=options))


class AsyncBilling(AsyncOperations):
    """The operations of the reference's section Billing."""

    async def create_checkout(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.BillingUrl:
        """Open a checkout session for the subscription."""
        return cast(m.BillingUrl, await self._ask("POST /v1/billing/checkout", {}, options=options))

    async def create_billing_portal(
        self,
        **options: Unpack[RequestOptions],
    ) -> m.BillingUrl:
        """Open a billing portal session."""
        return cast(m.BillingUrl, await self._ask("POST /v1/billing/portal", {}, options=options))


class AsyncApi(AsyncSegment, AsyncUploads, AsyncJobs, AsyncDownloads, AsyncSharing, AsyncModel, AsyncAccount, AsyncAPIKeys, AsyncWebhooks, AsyncBilling):
    """Every operation of the service."""
