import { ArchiveDownload } from "../../jobs/contract/archive.ts";
import type { Operation } from "../../shared/api/operation.ts";

/** Operations of the tag "Downloads". */
export const DOWNLOADS_OPERATIONS = {
  createJobDownload: {
    method: "post",
    path: "/v1/jobs/{jobId}/download",
    tag: "Downloads",
    summary: "Start building a zip of a job's outputs",
    description:
      "If an archive is already being built or is ready, the service returns that one. If it failed, the service starts a new one.",
    status: 202,
    answer: ArchiveDownload,
    success: "The archive. It is pending until the service builds it.",
    errors: ["job_not_found", "job_not_downloadable"],
  },
  retrieveJobDownload: {
    method: "get",
    path: "/v1/jobs/{jobId}/download",
    tag: "Downloads",
    summary: "Get an archive's status",
    description:
      "With `Prefer: wait=60` the response comes when the archive is ready or has failed, or after that time.",
    requestHeaders: ["Prefer"],
    status: 200,
    answer: ArchiveDownload,
    headers: ["Preference-Applied"],
    success: "The archive's status and, once it is ready, the URL to download it from.",
    errors: ["job_not_found", "download_not_requested", "job_not_downloadable"],
  },
} as const satisfies Record<string, Operation>;
