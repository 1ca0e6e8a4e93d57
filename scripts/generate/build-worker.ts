import { runCommand } from "../shared/command-line.ts";
import { prepareWranglerDev, refuseUnconfigured } from "../local/stack/wrangler-dev.ts";
import { buildStudio } from "./studio-build.ts";

/** Runs before Wrangler bundles the Worker (wrangler.toml). Wrangler names its command. */
await runCommand(async (signal) => {
  const isDev = process.env["WRANGLER_COMMAND"] === "dev";
  if (!isDev) await refuseUnconfigured();
  const built = await buildStudio();
  console.log(built ? "studio/dist is ready." : "studio/dist is up to date.");
  if (isDev) await prepareWranglerDev(signal);
  return 0;
});
