/**
 * Lines for a shell in which `SEGMENTATION_BASE_URL` (the Worker's URL) and `SEGMENTATION_API_KEY` (an API key or an access token)
 * are set. They need curl 7.82 and jq.
 */

/** The lines that set both variables. */
export const settingLines = (baseUrl: string, credential: string): string =>
  `export SEGMENTATION_BASE_URL=${baseUrl}
export SEGMENTATION_API_KEY=${credential}`;

const CURL = 'curl -s -H "Authorization: Bearer $SEGMENTATION_API_KEY"';
const API = "$SEGMENTATION_BASE_URL/v1";

/** Uploads a file, creates a job, waits for it and fetches its result. */
export const JOB_LINES = `UPLOAD=$(${CURL} --json '{"contentType":"image/png"}' ${API}/uploads/presign)
curl -s -T samples/coffee.png -H "Content-Type: image/png" "$(jq -r .uploadUrl <<< "$UPLOAD")"
JOB=$(${CURL} --json "{\\"type\\":\\"image\\",\\"prompts\\":[\\"cup\\"],\\"tasks\\":[$(jq .taskId <<< "$UPLOAD")]}" ${API}/jobs | jq -r .jobId)
${CURL} -H "Prefer: wait=60" ${API}/jobs/$JOB   # answers when the job has ended
${CURL} ${API}/jobs/$JOB/result                 # the masks, each with a signed URL`;

/** Shows the account's access, with its reason. */
export const OVERVIEW_LINE = `${CURL} ${API}/account/overview | jq`;

/** Prints the URL of the checkout page. */
export const CHECKOUT_LINE = `${CURL} -X POST -H "Idempotency-Key: $(date +%s)" ${API}/billing/checkout | jq -r .url`;
