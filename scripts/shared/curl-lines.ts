/** Lines for a shell that has `BASE` (the Worker's address) and `AUTH` (the Authorization header) set; they need curl 7.82 and jq. */

/** The two settings that the other lines start from. */
export const settingLines = (baseUrl: string, credential: string): string => `BASE=${baseUrl}
AUTH="Authorization: Bearer ${credential}"`;

/** Upload, segment, poll, fetch. */
export const JOB_LINES = `UPLOAD=$(curl -s -H "$AUTH" --json '{"contentType":"image/png"}' $BASE/v1/uploads/presign)
curl -s -T samples/coffee.png -H "Content-Type: image/png" "$(jq -r .uploadUrl <<< "$UPLOAD")"
JOB=$(curl -s -H "$AUTH" --json "{\\"type\\":\\"image\\",\\"prompts\\":[\\"cup\\"],\\"tasks\\":[$(jq .taskId <<< "$UPLOAD")]}" $BASE/v1/jobs | jq -r .jobId)
curl -s -H "$AUTH" $BASE/v1/jobs/$JOB          # until status is "success"
curl -s -H "$AUTH" $BASE/v1/jobs/$JOB/result   # masks, each with a signed address`;

/** What the account may do, and why. */
export const OVERVIEW_LINE = `curl -s -H "$AUTH" $BASE/v1/account/overview | jq`;

/** The address of a page to pay on. */
export const CHECKOUT_LINE = `curl -s -X POST -H "$AUTH" -H "Idempotency-Key: $(date +%s)" $BASE/v1/billing/checkout | jq -r .url`;
