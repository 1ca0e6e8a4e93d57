import type { Operation } from "../../shared/api/operation.ts";
import {
  MOST_INLINE_BYTES,
  SegmentFormRequest,
  Segmentation,
  SegmentRequest,
  UnfinishedSegmentation,
} from "./segment.ts";

/** The picture in base64, and the other fields. */
const MOST_JSON_BYTES = Math.ceil(MOST_INLINE_BYTES / 3) * 4 + 256 * 1_024;

/** Operations of the tag "Segment". */
export const SEGMENT_OPERATIONS = {
  segment: {
    method: "post",
    path: "/v1/segment",
    tag: "Segment",
    summary: "Get the masks of a picture with one request",
    description:
      "Uploads the picture, creates a job for it, and waits for the job: for 60 seconds, or as long as `Prefer` says. Send a form with the file, or JSON. It costs what these steps cost, and a refusal leaves nothing behind. The job is in the account's list like any other. With an Idempotency-Key the request can be repeated within a day: it is the same job, with new URLs. If the job fails, the response is 409 `job_not_ready`, with the reason.",
    idempotencyKey: "optional",
    requestHeaders: ["Prefer"],
    body: SegmentRequest,
    form: SegmentFormRequest,
    maxBodyBytes: MOST_JSON_BYTES,
    status: 200,
    answer: Segmentation,
    headers: ["Preference-Applied"],
    success: "The objects in the picture.",
    unfinished: UnfinishedSegmentation,
    errors: [
      "task_type_mismatch",
      "too_many_prompts",
      "prompt_too_long",
      "upload_too_large",
      "url_forbidden",
      "import_type_unsupported",
      "trial_format_unsupported",
      "trial_insufficient",
      "trial_exhausted",
      "trial_expired",
      "email_unverified",
      "daily_limit_reached",
      "payment_required",
      "task_not_owned",
      "job_not_found",
      "job_not_ready",
      "upload_incomplete",
      "active_job_exists",
      "too_many_active_jobs",
      "too_many_uploads",
      "enqueue_failed",
      "import_failed",
      "trial_queue_full",
    ],
  },
} as const satisfies Record<string, Operation>;
