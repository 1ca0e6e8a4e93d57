import type { Operation } from "../../shared/api/operation.ts";
import { CreatedShare, CreateShareRequest, SharedInputs, ShareList } from "./share.ts";

/** Operations of the tag "Sharing". */
export const SHARES_OPERATIONS = {
  listShares: {
    method: "get",
    path: "/v1/shares",
    tag: "Sharing",
    summary: "List what the account shares",
    status: 200,
    answer: ShareList,
    success: "All links that have not ended, newest first, without their tokens.",
    errors: [],
  },
  createShare: {
    method: "post",
    path: "/v1/jobs/{jobId}/share",
    tag: "Sharing",
    summary: "Make a link to a job's result",
    description:
      "The link shows the job's status and result to people without an account, and nothing else of the account. A job has one link: sharing it again replaces the previous link. An account has at most 100.",
    body: CreateShareRequest,
    status: 201,
    answer: CreatedShare,
    success: "The link, which is not shown again, and when it ends.",
    errors: ["job_not_found", "job_not_ready", "too_many_shares"],
  },
  retrieveShare: {
    method: "get",
    path: "/v1/jobs/{jobId}/share",
    tag: "Sharing",
    summary: "See what a job's link shows",
    description:
      "The account and the bearer of the link get the same answer. A link that shows the job as a further one gets 404 `share_not_found`.",
    byLink: true,
    status: 200,
    answer: SharedInputs,
    success: "Until when the job is shared, and the uploads that the link shows.",
    errors: ["share_not_found"],
  },
  revokeShare: {
    method: "delete",
    path: "/v1/jobs/{jobId}/share",
    tag: "Sharing",
    summary: "End a job's link",
    description:
      "The link stops working at once. Signed URLs that it has returned before stay valid for up to 15 minutes.",
    status: 204,
    answer: null,
    success: "The job is no longer shared.",
    errors: ["share_not_found"],
  },
} as const satisfies Record<string, Operation>;
