import { BODY_ERRORS, type Operation } from "../operation.ts";
import { PresignRequest, Upload } from "../upload.ts";

/** Operations of the tag "Uploads". */
export const UPLOADS_OPERATIONS = {
  createUploadPresign: {
    method: "post",
    path: "/v1/uploads/presign",
    tag: "Uploads",
    summary: "Get a URL to upload a file to",
    description:
      "PUT the file's bytes to `uploadUrl` with the same Content-Type, then list its `taskId` in a job. The service deletes an upload that no job has used within a day.",
    body: PresignRequest,
    status: 200,
    answer: Upload,
    success: "The upload URL and the upload's id.",
    errors: [...BODY_ERRORS, "too_many_uploads"],
  },
  deleteUpload: {
    method: "delete",
    path: "/v1/uploads/{taskId}",
    tag: "Uploads",
    summary: "Delete an upload",
    description: "No later job can name it. Results of jobs that have used it stay.",
    status: 204,
    answer: null,
    success: "The upload is gone.",
    errors: ["upload_not_found", "upload_in_use"],
  },
} as const satisfies Record<string, Operation>;
