import { runCommand, usageError } from "./shared/command-line.ts";
import { CHECKOUT_LINE, JOB_LINES, OVERVIEW_LINE, settingLines } from "./shared/curl-lines.ts";
import { readableLine } from "./stack/log-lines.ts";
import { parsePort } from "./stack/port.ts";
import { startStack } from "./stack/start-stack.ts";
import type { StackAddress } from "./stack/state-folder.ts";

const HELP = `Runs the whole service on this machine until Ctrl-C.

  npm start                     serve on http://127.0.0.1:8787
  PORT=8790 npm start           use another port (0: any free one)
  STATE_DIR=/tmp/try npm start  use another folder for database, files, keys and logs (default .local)
  INFERENCE_URL=… INFERENCE_TOKEN=… npm start
                                use an inference service that is already running
  STAND_INS=off npm start       start no stand-ins for an identity provider and Stripe

The Worker's settings (docs/operations.md) come from the environment or from .dev.vars.
`;

const isOn = (name: string): boolean => {
  const value = process.env[name] || "on";
  if (value === "on" || value === "off") return value === "on";
  throw usageError(`${name} must be on or off, not "${value}".`);
};

const indented = (lines: string): string => lines.replaceAll(/^/gm, "  ");

function instructions({ baseUrl, apiKey, identityUrl, billingUrl }: StackAddress): string {
  const folder = process.env["STATE_DIR"] ? `STATE_DIR=${process.env["STATE_DIR"]} ` : "";
  const job = `
Ready.
  URL      ${baseUrl}
  Studio   ${baseUrl}/studio
  API key  ${apiKey} (of a paid account)

Try it (needs curl and jq):

${indented(settingLines(baseUrl, apiKey))}
${indented(JOB_LINES)}
`;
  const signIn = `
Try it as a new customer: sign in with any e-mail address at ${identityUrl}, or here:

  TOKEN=$(${folder}npm run -s token -- --email a@example.com)
  AUTH="Authorization: Bearer $TOKEN"
${indented(OVERVIEW_LINE)}   # shows a free trial; the job above can use it
`;
  const checkout = `
${indented(CHECKOUT_LINE)}
  # Open that URL (the Stripe stand-in at ${billingUrl}) and press Pay. No money moves, and the overview says paid.
`;
  const parts = [
    job,
    ...(identityUrl === undefined ? [] : [signIn]),
    ...(billingUrl === undefined ? [] : [checkout]),
  ];
  return `${parts.join("")}\nPress Ctrl-C to stop everything.\n`;
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
    standIns: isOn("STAND_INS"),
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
