/** Lines for a shell in which `BASE` (the Worker's URL) and `AUTH` (the Authorization header) are set. They need curl 7.82 and jq. */

/** The lines that set `BASE` and `AUTH`. */
export const settingLines = (baseUrl: string, credential: string): string => `BASE=${baseUrl}
AUTH="Authorization: Bearer ${credential}"`;

/** Uploads a file, creates a job, polls it and fetches its result. */
export const JOB_LINES = `UPLOAD=$(curl -s -H "$AUTH" --json '{"contentType":"image/png"}' $BASE/v1/uploads/presign)
curl -s -T samples/coffee.png -H "Content-Type: image/png" "$(jq -r .uploadUrl <<< "$UPLOAD")"
JOB=$(curl -s -H "$AUTH" --json "{\\"type\\":\\"image\\",\\"prompts\\":[\\"cup\\"],\\"tasks\\":[$(jq .taskId <<< "$UPLOAD")]}" $BASE/v1/jobs | jq -r .jobId)
curl -s -H "$AUTH" $BASE/v1/jobs/$JOB          # repeat until status is "success"
curl -s -H "$AUTH" $BASE/v1/jobs/$JOB/result   # the masks, each with a signed URL`;

/** Shows what the account may do, and why. */
export const OVERVIEW_LINE = `curl -s -H "$AUTH" $BASE/v1/account/overview | jq`;

/** Prints the URL of the checkout page. */
export const CHECKOUT_LINE = `curl -s -X POST -H "$AUTH" -H "Idempotency-Key: $(date +%s)" $BASE/v1/billing/checkout | jq -r .url`;
