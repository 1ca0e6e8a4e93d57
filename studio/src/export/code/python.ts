import { Name, python, quoted } from "./literal.ts";
import { uploadsOf, optionsOf, type ExportedJob, type ExportedUpload, regionsOf } from "./exported-job.ts";

const FUNCTIONS = `

def call(method, path, body=None, wait=0):
    request = urllib.request.Request(
        BASE + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json", "Prefer": f"wait={wait}"},
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)
`;

const UPLOAD = `

def upload(path, content_type):
    slot = call("POST", "/v1/uploads/presign", {"contentType": content_type})
    headers = {"Content-Type": content_type, "Content-Length": str(os.path.getsize(path))}
    with open(path, "rb") as file:
        urllib.request.urlopen(urllib.request.Request(slot["uploadUrl"], file, headers, method="PUT")).close()
    return slot["taskId"]
`;

const IMPORT = `

def fetched(url):
    return call("POST", "/v1/uploads/import", {"url": url})["taskId"]
`;

const WAIT_AND_SAVE = `status = {"status": "queued"}
while status["status"] not in ("success", "failed"):
    status = call("GET", f"/v1/jobs/{job}", wait=60)  # answers when the job has ended, or after a minute
if status["status"] == "failed":
    raise SystemExit(status["error"])

for asset in call("GET", f"/v1/jobs/{job}/result")["assets"]:
    path = os.path.join("out", asset["key"])
    os.makedirs(os.path.dirname(path), exist_ok=True)
    urllib.request.urlretrieve(asset["url"], path)
`;

const uploaded = ({ source, isUrl, contentType }: ExportedUpload): Name =>
  new Name(isUrl ? `fetched(${quoted(source)})` : `upload(${quoted(source)}, ${quoted(contentType)})`);

/** The job as a script for Python 3 that needs only the standard library. The API key comes from the environment. */
export function pythonCode(exportedJob: ExportedJob, baseUrl: string): string {
  const files = uploadsOf(exportedJob);
  const regions = regionsOf(exportedJob, (index) => ({ taskId: new Name(`tasks[${index}]`) }));
  const request = { ...optionsOf(exportedJob), ...(regions && { regions }), tasks: new Name("tasks") };
  return `import json
import os
import urllib.request

BASE = ${quoted(baseUrl)}
KEY = os.environ["SEGMENTATION_API_KEY"]
${FUNCTIONS}${files.some(({ isUrl }) => !isUrl) ? UPLOAD : ""}${files.some(({ isUrl }) => isUrl) ? IMPORT : ""}

tasks = ${python(files.map(uploaded))}
job = call("POST", "/v1/jobs", ${python(request)})["jobId"]
print(job)

${WAIT_AND_SAVE}`;
}
