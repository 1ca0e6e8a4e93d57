import { join } from "node:path";
import { fillPackageFolder } from "./client/package-folder.ts";
import { runCommand } from "./shared/command-line.ts";
import { PROJECT_ROOT } from "./shared/root.ts";

/** Builds the client library as npm publishes it. */
await runCommand(async () => {
  await fillPackageFolder(join(PROJECT_ROOT, "client", "dist"));
  console.log(
    "client/dist is ready. Look at it with `npm pack --dry-run ./client/dist`; publish it with `npm publish ./client/dist`.",
  );
  return 0;
});
