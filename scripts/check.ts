import { runCommand } from "./shared/command-line.ts";
import { runStep, staticChecks } from "./testing/steps.ts";

/** All static checks, also after one failed. */
await runCommand(async (signal) => {
  const failed: string[] = [];
  for (const step of staticChecks()) {
    if (!(await runStep(step, {}, signal))) failed.push(step.name);
  }
  console.log(failed.length === 0 ? "\nAll checks passed." : `\nFailed: ${failed.join(", ")}`);
  return failed.length === 0 ? 0 : 1;
});
