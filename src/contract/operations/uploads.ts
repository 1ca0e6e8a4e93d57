import type { Operation } from "../operation.ts";
import { ImportedUpload, ImportRequest, PresignRequest, Upload } from "../upload.ts";

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
