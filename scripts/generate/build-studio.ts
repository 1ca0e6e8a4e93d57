import { runCommand } from "../shared/command-line.ts";
import { buildStudio } from "./studio-build.ts";

/** Builds the pages that the Worker serves: studio/dist. */
await runCommand(async () => {
  const built = await buildStudio();
  console.log(built ? "studio/dist is ready." : "studio/dist is up to date.");
  return 0;
});
