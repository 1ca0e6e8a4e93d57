import { runCommand } from "../shared/command-line.ts";
import { runTests } from "./run-tests.ts";

/**
 * A month of abuse, with the tables of what it made the operator store, compute and pay. The exit code is 1 if something is
 * beyond what the settings promise.
 */
await runCommand((signal) =>
  runTests(
    { projects: ["long-worker"], args: ["abuse", "--silent=false"], withChecks: false, withModel: false },
    signal,
  ),
);
