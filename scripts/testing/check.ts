import { runCommand } from "../shared/command-line.ts";
import { runStaticChecks } from "./steps.ts";

/** All static checks. */
await runCommand(async (signal) => {
  const failed = await runStaticChecks({}, signal, (name) => console.log(`— ${name}: passed`));
  console.log(failed.length === 0 ? "\nAll checks passed." : `\nFailed: ${failed.join(", ")}`);
  return failed.length === 0 ? 0 : 1;
});
