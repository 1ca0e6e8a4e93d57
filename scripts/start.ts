import { runCommand, usageError } from "./shared/command-line.ts";
import { readableLine } from "./stack/log-lines.ts";
import { parsePort } from "./stack/port.ts";
import { type StackAddress, startStack } from "./stack/start-stack.ts";

const HELP = `Runs the whole service on this machine until Ctrl-C.

  npm start                     http://127.0.0.1:8787
  PORT=8790 npm start           another port (0: any free one)
  STATE_DIR=/tmp/try npm start  another folder for database, files, keys and logs (default .local)
  INFERENCE_URL=… INFERENCE_TOKEN=… npm start
                                an inference service that runs already

The Worker's settings (docs/operations.md) come from the environment or from .dev.vars.
`;

function instructions({ baseUrl, apiKey }: StackAddress): string {
  return `
Ready.
  Address  ${baseUrl}
  API key  ${apiKey}

Try it (needs curl and jq):

  BASE=${baseUrl}
  AUTH="Authorization: Bearer ${apiKey}"
  UPLOAD=$(curl -s -H "$AUTH" --json '{"contentType":"image/png"}' $BASE/v1/uploads/presign)
  curl -s -T samples/coffee.png -H "Content-Type: image/png" "$(jq -r .uploadUrl <<< "$UPLOAD")"
  JOB=$(curl -s -H "$AUTH" --json "{\\"type\\":\\"image\\",\\"prompts\\":[\\"cup\\"],\\"tasks\\":[$(jq .taskId <<< "$UPLOAD")]}" $BASE/v1/jobs | jq -r .jobId)
  curl -s -H "$AUTH" $BASE/v1/jobs/$JOB          # until status is "success"
  curl -s -H "$AUTH" $BASE/v1/jobs/$JOB/result   # masks, each with a signed address

Ctrl-C stops everything.
`;
}

async function start(signal: AbortSignal): Promise<number> {
  const args = process.argv.slice(2);
  if (args.includes("--help") || args.includes("-h")) {
    console.log(HELP);
    return 0;
  }
  if (args.length > 0) throw usageError(`npm start takes no arguments.\n\n${HELP}`);
  const stack = await startStack({
    port: parsePort(process.env["PORT"] ?? "8787"),
    stateDir: process.env["STATE_DIR"],
    onProgress: (sentence) => console.log(sentence),
    onLine: (part, line) => console.log(`[${part}] ${readableLine(line)}`),
    signal,
  });
  console.log(instructions(stack));
  const interrupted = new Promise<null>((resolve) => {
    signal.addEventListener("abort", () => resolve(null), { once: true });
    if (signal.aborted) resolve(null);
  });
  const failure = await Promise.race([interrupted, stack.crashed]);
  await stack.stop();
  if (failure !== null) throw failure;
  console.log("Stopped.");
  return 0;
}

await runCommand(start);
