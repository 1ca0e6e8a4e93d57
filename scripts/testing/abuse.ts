import { runCommand } from "../shared/command-line.ts";
import { runTests } from "./run-tests.ts";

/**
 * Simulates a month of abuse, and prints tables of its cost in storage, computation and payments. The exit code is 1 if a cost
 * exceeds the settings' limits.
 */
await runCommand((signal) =>
  runTests(
    { projects: ["long-worker"], args: ["abuse", "--silent=false"], withChecks: false, withModel: false },
    signal,
  ),
);
