import type { Operation } from "../../shared/api/operation.ts";
import {
  CompletedUpload,
  CompleteUploadRequest,
  ImportedUpload,
  ImportRequest,
  MultipartUpload,
  MultipartUploadRequest,
  PresignRequest,
  Upload,
} from "./upload.ts";

/** Operations of the tag "Uploads". */
export const UPLOADS_OPERATIONS = {
  createUploadPresign: {
    method: "post",
    path: "/v1/uploads/presign",
    tag: "Uploads",
    summary: "Get a URL to upload a file to",
    description:
      "PUT the file's bytes to `uploadUrl` with the same Content-Type, then list its `taskId` in a job. If the request has the file's `size`, storage refuses a file of another size. The service deletes an upload that no job has used within a day.",
    body: PresignRequest,
    status: 200,
    answer: Upload,
    success: "The upload URL and the upload's id.",
    errors: ["upload_too_large", "too_many_uploads"],
  },
  createMultipartUpload: {
    method: "post",
    path: "/v1/uploads/parts",
    tag: "Uploads",
    summary: "Get URLs to upload a large file in parts",
    description:
      "For a file that may not get through at once: a lost connection costs one part. PUT each part to its `uploadUrl`, in any order and as often as it takes, then complete the upload with the parts' ETags. With an Idempotency-Key the request can be repeated within a day: it is the same upload, with new URLs. The file counts as uploaded at once; the service deletes what is not completed and used within a day.",
    idempotencyKey: "optional",
    body: MultipartUploadRequest,
    status: 201,
    answer: MultipartUpload,
    success: "The upload's id, and a URL for each part.",
    errors: ["upload_too_large", "too_many_uploads", "upload_not_found"],
  },
  completeMultipartUpload: {
    method: "post",
    path: "/v1/uploads/{taskId}/complete",
    tag: "Uploads",
    summary: "Make one file of an upload's parts",
    description:
      "List the `taskId` in a job afterwards. Completing it again changes nothing. If a part is missing or has another ETag, the service answers 409 `upload_incomplete`: PUT that part again.",
    body: CompleteUploadRequest,
    status: 200,
    answer: CompletedUpload,
    success: "The upload's id and size.",
    errors: ["upload_not_found", "upload_incomplete"],
  },
  importUpload: {
    method: "post",
    path: "/v1/uploads/import",
    tag: "Uploads",
    summary: "Have the service fetch a file",
    description:
      "The answer comes once the file is stored; list its `taskId` in a job, like that of any upload. The service follows two redirects, waits 20 seconds for the first byte and for each following one, and four minutes for the whole file unless its operator has set another limit; it gives up a source that sends less than 50 kB per second. A file that is too large, or on a host that is not public, is refused; nothing remains of it, but the fetched bytes count as uploaded. A repeated request imports the file again.",
    body: ImportRequest,
    status: 201,
    answer: ImportedUpload,
    success: "The upload's id, type and size.",
    errors: [
      "url_forbidden",
      "import_type_unsupported",
      "upload_too_large",
      "too_many_uploads",
      "import_failed",
    ],
  },
  deleteUpload: {
    method: "delete",
    path: "/v1/uploads/{taskId}",
    tag: "Uploads",
    summary: "Delete an upload",
    description: "No later job can use it. Results of jobs that have used it stay.",
    status: 204,
    answer: null,
    success: "The upload is gone.",
    errors: ["upload_not_found", "upload_in_use"],
  },
} as const satisfies Record<string, Operation>;
