import { rm } from "node:fs/promises";
import { DEMO_HELP, segmentArguments, segmentOn } from "./segment.ts";
import { runCommand } from "../shared/command-line.ts";
import { startStack } from "./stack/start-stack.ts";
import { stateFolder } from "../shared/state/state-folder.ts";

/** A separate folder, because `npm start` may be running at the same time. */
const STATE_DIR = ".local/demo";

await runCommand(async (signal) => {
  // npm runs scripts in the project's folder; paths are relative to the folder from which it was called.
  const args = segmentArguments(process.argv.slice(2), process.env["INIT_CWD"] ?? process.cwd());
  if (args === null) {
    console.log(DEMO_HELP);
    return 0;
  }
  const stateDir = process.env["STATE_DIR"] ?? STATE_DIR;
  const stack = await startStack({ port: 0, stateDir, onProgress: console.log, signal });
  try {
    const crash = stack.crashed.then((failure) => Promise.reject(failure));
    return await Promise.race([segmentOn(stack, args, signal), crash]);
  } finally {
    await stack.stop();
    // Otherwise the next demo would also continue the interrupted video.
    if (signal.aborted && stateDir === STATE_DIR)
      await rm(stateFolder(stateDir).data, { recursive: true, force: true });
  }
});
