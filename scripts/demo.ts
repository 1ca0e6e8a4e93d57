import { resolve } from "node:path";
import { createClient } from "./client/api-client.ts";
import { DEMO_HELP, parseDemoArguments } from "./demo/arguments.ts";
import { readPhoto } from "./demo/photo.ts";
import { walk } from "./demo/walk.ts";
import { runCommand } from "./shared/command-line.ts";
import { startStack } from "./stack/start-stack.ts";

async function demo(signal: AbortSignal): Promise<number> {
  const request = parseDemoArguments(process.argv.slice(2));
  if (request === null) {
    console.log(DEMO_HELP);
    return 0;
  }
  // npm runs scripts in the project's folder; paths are meant from where it was called.
  const from = process.env["INIT_CWD"] ?? process.cwd();
  const photo = await readPhoto(resolve(from, request.photo));
  // A folder of its own: `npm start` may be running beside it.
  const stateDir = process.env["STATE_DIR"] ?? ".local/demo";
  const stack = await startStack({
    port: 0,
    stateDir,
    onProgress: (sentence) => console.log(sentence),
    signal,
  });
  try {
    const { baseUrl, apiKey } = stack;
    const crash = stack.crashed.then((failure) => Promise.reject(failure));
    await Promise.race([
      walk(createClient({ baseUrl, apiKey, signal }), photo, { ...request, out: resolve(from, request.out) }),
      crash,
    ]);
  } finally {
    await stack.stop();
  }
  return 0;
}

await runCommand(demo);
