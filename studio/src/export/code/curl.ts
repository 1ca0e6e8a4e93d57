import { Name, shellJson, shellPath, shellWord } from "./literal.ts";
import { uploadsOf, optionsOf, type ExportedJob, type ExportedUpload, regionsOf } from "./exported-job.ts";

const UPLOAD = `upload() {  # file, type: prints the taskId
  local slot
  slot=$(curl -fsS -H "$AUTH" --json '{"contentType": "'"$2"'"}' "$BASE/v1/uploads/presign")
  curl -fsSg -o /dev/null -T "$1" -H "Content-Type: $2" "$(jq -r .uploadUrl <<< "$slot")"
  jq -r .taskId <<< "$slot"
}
`;

const WAIT_AND_SAVE = `# Each answer comes when the job has ended, or after a minute.
STATUS=queued
until [[ $STATUS == success || $STATUS == failed ]]; do
  STATUS=$(curl -fsS -H "$AUTH" -H "Prefer: wait=60" "$BASE/v1/jobs/$JOB" | jq -r .status)
done

# Saves every file of the result under its key.
curl -fsS -H "$AUTH" "$BASE/v1/jobs/$JOB/result" | jq -r '.assets[] | "\\(.key) \\(.url)"' |
  while read -r key url; do curl -fsSg --create-dirs -o "out/$key" "$url"; done
`;

const variable = (index: number): string => `TASK_${index + 1}`;

function fetched({ source, isUrl, contentType }: ExportedUpload, index: number): string {
  const how = isUrl
    ? `curl -fsS -H "$AUTH" --json ${shellJson({ url: source })} "$BASE/v1/uploads/import" | jq -r .taskId`
    : `upload ${shellPath(source)} ${contentType}`;
  return `${variable(index)}=$(${how})`;
}

/** The job as a script for bash with curl and jq. The API key comes from the environment. */
export function curlCode(exportedJob: ExportedJob, baseUrl: string): string {
  const files = uploadsOf(exportedJob);
  const regions = regionsOf(exportedJob, (index) => ({ taskId: new Name(variable(index)) }));
  const tasks = files.map((_, index) => new Name(variable(index)));
  const request = { ...optionsOf(exportedJob), ...(regions && { regions }), tasks };
  return `#!/usr/bin/env bash
# Needs curl 7.82 or newer, and jq. SEGMENTATION_API_KEY has your API key.
set -euo pipefail
BASE=${shellWord(baseUrl)}
AUTH="Authorization: Bearer $SEGMENTATION_API_KEY"

${files.some(({ isUrl }) => !isUrl) ? `${UPLOAD}\n` : ""}${files.map(fetched).join("\n")}

JOB=$(curl -fsS -H "$AUTH" --json ${shellJson(request)} "$BASE/v1/jobs" | jq -r .jobId)
echo "$JOB"

${WAIT_AND_SAVE}`;
}
