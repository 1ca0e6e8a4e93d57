import { flags, readArguments, runCommand, usageError } from "../shared/command-line.ts";
import { settingLines } from "../shared/curl-lines.ts";
import { newsLine, readableLine } from "./stack/log-lines.ts";
import { parsePort } from "../shared/port.ts";
import { startStack } from "./stack/start-stack.ts";
import { type StackAddress, stateFolder } from "../shared/state/state-folder.ts";

const HELP = `Runs the whole service on this machine until Ctrl-C.

  npm start                     serve on http://127.0.0.1:8787
  npm start -- --verbose        print everything that the parts log, not only jobs that end and problems
  PORT=8790 npm start           use another port (0: any free one)
  STATE_DIR=/tmp/try npm start  use another folder for database, files, keys and logs (default .local)
  INFERENCE_URL=… INFERENCE_TOKEN=… npm start
                                use an inference service that is already running
  FAKES=off npm start       start no fakes for an identity provider and Stripe

The Worker's settings (docs/operations/settings.md) come from the environment or from .dev.vars.
`;

const isOn = (name: string): boolean => {
  const value = process.env[name] || "on";
  if (value === "on" || value === "off") return value === "on";
  throw usageError(`${name} must be on or off, not "${value}".`);
};

const indented = (lines: string): string => lines.replaceAll(/^/gm, "  ");

function instructions({ baseUrl, apiKey, identityUrl }: StackAddress, logs: string): string {
  const folder = process.env["STATE_DIR"] ? `STATE_DIR=${process.env["STATE_DIR"]} ` : "";
  const signIn = `
To be a new customer on a free trial, sign in with any e-mail address at ${identityUrl}, or:

  export SEGMENTATION_API_KEY=$(${folder}npm run -s token -- --email a@example.com)
`;
  return `
Ready: ${baseUrl}/studio is the studio, ${baseUrl}/docs the reference.

In another shell (the key is a paid account's):

${indented(settingLines(baseUrl, apiKey))}
  npx --no-install segmentation-client segment samples/coffee.png -p cup -p spoon
${identityUrl === undefined ? "" : signIn}
README.md does the same in TypeScript, with curl and in Python. Jobs that end and problems are printed here;
everything is in ${logs}. Press Ctrl-C to stop.
`;
}

async function start(signal: AbortSignal): Promise<number> {
  const { help, verbose } = readArguments("start", process.argv.slice(2), flags("verbose"), false).values;
  if (help === true) {
    console.log(HELP);
    return 0;
  }
  const stateDir = process.env["STATE_DIR"];
  const stack = await startStack({
    port: parsePort(process.env["PORT"] ?? "8787"),
    stateDir,
    fakes: isOn("FAKES"),
    onProgress: (sentence) => console.log(sentence),
    onLine: (part, line) => {
      const shown = verbose === true ? `[${part}] ${readableLine(line)}` : newsLine(part, line);
      if (shown !== null) console.log(shown);
    },
    signal,
  });
  console.log(instructions(stack, stateFolder(stateDir).logs));
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
